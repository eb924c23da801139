import { openPage } from './page.mjs';
import { PackedSource } from './packed.mjs';

openPage({ unpack: (text) => new PackedSource(text) });
