import { openPage } from './host.mjs';
import { PackedSource } from './packed.mjs';

openPage({ unpack: (text) => new PackedSource(text) });
