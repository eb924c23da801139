/** Files of a reader's that an author's link names by their addresses: network=https://…/cnn.onnx, data=https://…/moons.csv. */
import { mostOf } from './held.mjs';

const kKeys = ['network', 'data'], kAddress = /^https?:\/\//;
const pairsOf = (link) => new URLSearchParams(link.replace(/^[?#]/, ''));

/** The link without such addresses, and the addresses: {key, url}. `link`: a query, or a query with a fragment behind. */
export function withoutAddresses(link) {
  const [query, ...rest] = link.split('#'), pairs = pairsOf(query), found = [];
  for (const key of kKeys) {
    if (!kAddress.test(pairs.get(key) ?? '')) continue;
    found.push({ key, url: pairs.get(key) });
    pairs.delete(key);
  }
  return { link: found.length ? [`?${pairs}`, ...rest].join('#') : link, found };
}

function nameOf({ pathname }, key) {
  const last = pathname.split('/').pop();
  try {
    return decodeURIComponent(last).slice(-100) || key;
  } catch {
    return last.slice(-100); // a % that begins nothing
  }
}

/** What is there, no more than a dropped file may have; throws an Error with one sentence. */
async function fileAt(url, most, view, signal) {
  const response = await view.fetch(url, { signal, credentials: 'omit', referrerPolicy: 'no-referrer' }).catch((error) => {
    throw signal.aborted ? error : new Error(`${url.href} could not be fetched: its server is away, or sends no Access-Control-Allow-Origin.`);
  });
  if (!response.ok) throw new Error(`${url.href} could not be fetched: the server answered ${response.status}.`);
  const parts = [], reader = response.body.getReader();
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value), (size += part.value.length);
    if (size <= most) continue;
    reader.cancel();
    throw new Error(`${url.href} is larger than ${most / 2 ** 20} MB, the most that is read.`);
  }
  return new Blob(parts);
}

/** Fetches the files and shows them: as the author's, so that a reset comes back to them. The picture stays as it is where that fails, and says why. */
export async function fetchInto(instance, { link, found }) {
  const { signal } = instance.abort;
  for (const { key, url } of found) {
    try {
      if (instance.source.alone) throw new Error('The page in one file fetches nothing: open the file on the picture instead.');
      const address = new URL(url), name = nameOf(address, key);
      instance.talk.say(`Fetching ${name} from ${address.host}.`);
      const { held, files } = instance, bytes = await held.standIn(name, await fileAt(address, mostOf(name), instance.view, signal)), { page } = instance, { scene } = page.describe();
      files.attach(name, bytes);
      while (page === instance.page && page.describe().busy) await new Promise((done) => setTimeout(done, 50));
      const now = page === instance.page ? page.describe() : { params: [] };
      if (now.scene !== scene || !now.params.some((param) => param.key === key && param.value === 'file')) continue; // refused, or another scene's
      const [query, ...rest] = link.split('#');
      link = [`${query}${query.length > 1 ? '&' : ''}${key}=file`, ...rest].join('#');
      page.openLink(link), instance.wake();
    } catch (error) {
      if (!signal.aborted) instance.page?.say(error.message), instance.wake();
    }
  }
}
