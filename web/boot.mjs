import { openPage } from './page.mjs';

openPage();
