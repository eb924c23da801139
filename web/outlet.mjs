/** What a reader takes away: the link, the numbers. */
export class Outlet {
  /** `linkOf(link)`: the address that opens a state. */
  constructor({ page, runner, files, talk, linkOf }) {
    Object.assign(this, { page, runner, files, talk, linkOf });
  }

  copyLink() {
    return this.files.copy(this.linkOf(this.page.link()), 'the link');
  }

  /** The newest shown report as an object, null before the first. */
  async report() {
    const bytes = this.page.reportBytes();
    return bytes.length ? JSON.parse(await this.runner.exportReport(bytes, 'json')) : null;
  }

  /** `format`: json or csv. */
  async download(format) {
    const bytes = this.page.reportBytes();
    if (!bytes.length) return this.talk.say('There are no numbers yet.');
    const { scene } = this.page.describe();
    try {
      const text = await this.runner.exportReport(bytes, format);
      this.files.download(text, `${scene}.${format}`, format === 'json' ? 'application/json' : 'text/csv');
    } catch (error) {
      this.talk.say(`The numbers could not be written (${error.message}).`);
    }
  }
}
