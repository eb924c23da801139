/**
 * Tells a learning record store what a reader does. Platforms that launch content by xAPI name the store in the address: endpoint, auth, actor,
 * registration and activity_id. An address without them tells nobody anything.
 */
import XAPI from '@xapi/xapi';

const kKinds = { choice: 'choice', number: 'numeric' }; // of questions; the others are performances
const kAgain = 10; // seconds until statements that were not taken are sent once more
const kIdentities = ['mbox', 'mbox_sha1sum', 'openid', 'account']; // one of them says who an actor is
const kPatience = 8; // seconds for an answer
const kState = 'progress', kLongest = 4096; // of what is kept, in characters

/** The library's requests by fetch; the last ones outlive the page. */
async function request({ url, method, data, headers }) {
  const body = data === undefined || typeof data === 'string' ? data : JSON.stringify(data);
  const response = await fetch(url, { method, headers, body, keepalive: (body?.length ?? 0) < 32768, credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(1000 * kPatience) });
  if (!response.ok) throw Object.assign(new Error(`it answered ${response.status}`), { status: response.status });
  const text = await response.text();
  return { data: /json/.test(response.headers.get('Content-Type')) && text ? JSON.parse(text) : text, status: response.status, headers: {} };
}

/** Without one that the sender chose, what is sent twice counts twice. crypto.randomUUID is for https only. */
function uuid() {
  const digits = [...crypto.getRandomValues(new Uint8Array(16))].map((byte, i) => (i === 6 ? (byte & 15) | 64 : i === 8 ? (byte & 63) | 128 : byte).toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export class Records {
  /** `address`: that of the page without the launch; `title`: of the lesson or figure; `say(sentence)`: '' when all is well again. */
  constructor({ address, title, say }) {
    const { endpoint, auth, actor, registration, activity_id: activity } = XAPI.getTinCanLaunchData();
    if (!URL.canParse(endpoint)) throw new Error('The launch names no address of a record store.');
    Object.assign(this, { actor, say, host: new URL(endpoint).host, queue: [], begun: performance.now() });
    if (!kIdentities.some((key) => actor?.[key])) throw new Error('The launch names no actor whom statements could be about.');
    this.activity = { objectType: 'Activity', id: activity || address, definition: { name: { en: title }, type: 'http://adlnet.gov/expapi/activities/lesson' } };
    this.registration = registration === undefined ? undefined : String(registration);
    this.store = new XAPI({ endpoint: endpoint.replace(/\/?$/, '/'), auth, adapter: request });
    this.place = { agent: actor, activityId: this.activity.id, stateId: kState, ...(this.registration && { registration: this.registration }) };
  }

  /** What was kept at an earlier visit, a fragment such as "step=3&seed=17"; '' at the first. */
  async kept() {
    const found = await this.store.getState(this.place).catch((error) => (error.status === 404 ? null : void this.say(this.complaint(error))));
    return typeof found?.data?.fragment === 'string' ? found.data.fragment.slice(0, kLongest) : '';
  }

  tell(verb, { object = this.activity, result } = {}) {
    const context = { ...(this.registration && { registration: this.registration }), ...(object !== this.activity && { contextActivities: { parent: [{ objectType: 'Activity', id: this.activity.id }] } }) };
    this.queue.push({ id: uuid(), actor: this.actor, verb, object, ...(result && { result }), context, timestamp: new Date().toISOString() });
    this.send();
  }

  /** One batch at a time, in order; what is not taken waits for the next. */
  async send() {
    if (this.sending || !this.queue.length) return;
    const batch = this.queue.splice(0);
    this.sending = true;
    try {
      await this.store.sendStatements({ statements: batch });
      this.say('');
    } catch (error) {
      // The store would refuse these statements again, but a busy or unreachable one may take them later.
      const refused = error.status >= 400 && error.status < 500 && ![408, 429].includes(error.status);
      if (!refused) this.queue.unshift(...batch), setTimeout(() => this.send(), 1000 * kAgain);
      this.say(this.complaint(error));
    }
    this.sending = false;
    if (this.queue.length && this.queue[0] !== batch[0]) this.send();
  }

  complaint(error) { return `Your answers and steps could not be recorded at ${this.host}: ${error.status ? error.message : 'it cannot be reached from this page (or sends no Access-Control-Allow-Origin)'}.`; }

  get duration() { return XAPI.calculateISO8601Duration(new Date(Date.now() - (performance.now() - this.begun)), new Date()); }

  begin() {
    this.ended = false;
    this.tell(XAPI.Verbs.INITIALIZED);
  }

  answer({ question, kind, right }) {
    const object = { objectType: 'Activity', id: `${this.activity.id}#question-${question}`, definition: { type: 'http://adlnet.gov/expapi/activities/cmi.interaction', interactionType: kKinds[kind] ?? 'performance' } };
    this.tell(XAPI.Verbs.ANSWERED, { object, result: { success: right } });
  }

  progress({ step, steps, right, settled, questions, seed, done }) {
    this.store.setState({ ...this.place, state: { fragment: `step=${step}&seed=${seed}&done=${done}` } }).catch((error) => this.say(this.complaint(error)));
    if (step !== steps || settled !== questions || this.finished) return;
    this.finished = true;
    const score = questions && { score: { scaled: Number((right / questions).toFixed(4)), raw: right, min: 0, max: questions } };
    this.tell(XAPI.Verbs.COMPLETED, { result: { completion: true, duration: this.duration, ...score } });
  }

  /** A figure that has been seen is all there is of it. */
  seen() {
    if (this.finished) return;
    this.finished = true;
    this.tell(XAPI.Verbs.COMPLETED, { result: { completion: true, duration: this.duration } });
  }

  end() {
    if (this.ended) return;
    this.ended = true;
    this.sending = false; // there is no later
    this.tell(XAPI.Verbs.TERMINATED, { result: { duration: this.duration } });
  }
}
