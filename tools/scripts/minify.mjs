/** JavaScript without comments, blanks and long names (a third of the bytes, compressed too), and with its imports in it. */
import { buildSync } from 'esbuild';

export const kOptions = { minify: true, format: 'esm', target: 'es2022', charset: 'utf8', legalComments: 'none', write: false, logLevel: 'error' };
const textOf = (file, options) => buildSync({ ...kOptions, entryPoints: [file], ...options }).outputFiles[0].text.trim();

/** One module, its imports as they are. */
export const minified = (file) => textOf(file, { bundle: false });
/** A module and everything it imports but `external`, which it asks for when it needs them. */
export const bundled = (file, external = []) => textOf(file, { bundle: true, external });
