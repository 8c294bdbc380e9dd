// Loaded before a program (`--import`), in its threads too, it sets the clock back by the milliseconds of EARLIER_MS.
const behindMs = Number(process.env.EARLIER_MS);
const Now = Date;

globalThis.Date = class Earlier extends Now {
  constructor(...given) {
    super(...(given.length > 0 ? given : [Earlier.now()]));
  }

  static now() {
    return Now.now() - behindMs;
  }
};
