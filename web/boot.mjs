import { openPage } from './host.mjs';

openPage();
