/** The drawing code of the room that a reader is in: it may still be on its way, or not come at all. */
import { kStall } from './loader.mjs';

export class RoomPictures {
  /**
   * `room`: the first one, whose drawing code is there; `add(room)` → promise of a room's being there; `cover` stands over the
   * canvas; `fail(error)` says why nothing is drawn.
   */
  constructor({ room, add, cover, fail, wake }) {
    Object.assign(this, { room, add, cover, fail, wake });
    this.missing = false;
  }

  /** Over a room's scenes stands why they cannot be drawn, until they can be or another room is entered. */
  enter(room) {
    if (room === this.room) return;
    this.room = room;
    clearTimeout(this.late);
    // A canvas that nothing can be drawn on says so already, and goes on saying it.
    const explain = (show) => this.room === room && !this.cover.refused && ((this.missing = true), show());
    this.late = setTimeout(() => explain(() => this.cover.late([`kappaflow-pictures-${room}.wasm`])), kStall);
    this.add(room).then(() => this.room === room && this.came(), (error) => explain(() => (clearTimeout(this.late), this.fail(error))));
  }

  came() {
    clearTimeout(this.late);
    if (this.missing) this.cover.done();
    this.missing = false;
    this.wake();
  }

  stop() {
    clearTimeout(this.late);
    this.room = undefined;
  }
}
