import { launch } from './scorm.mjs';

launch({ view: window, frame: document.querySelector('iframe'), query: JSON.parse(document.getElementById('query').textContent) });
