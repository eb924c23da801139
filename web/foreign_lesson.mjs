/** The reader of lessons that were not built with the page, fetched when one comes. */
export { readLesson } from './lesson_text.mjs';
