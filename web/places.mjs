/**
 * Where the program's files are: beside this module. The npm package has one in its place that names each file, so that bundlers take them
 * along and may call them otherwise.
 */
export const folder = import.meta.url.replace(/[^/]*$/, '');
/** Where the file that `url` names is to be had; "" where there is none. */
export const placeOf = (url) => String(url);
