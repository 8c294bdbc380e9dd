export interface Options {
  /** Address of the Headcount server: `https://count.example.com`. */
  server: string;
  /**
   * An ingest key of the project. `undefined` fits, as that is what the environment's variables may be; `connect` throws at
   * once then.
   */
  key: string | undefined;
  /** Id of the project; needed only with a key that is good for all projects. */
  project?: string;
  /**
   * Count people from these reports too. Leave it off where the pages have the script or the pixel, which count them: every
   * person would count twice.
   */
  countPeople?: boolean;
  /**
   * Whose X-Forwarded-For, -Proto and -Host are believed: addresses and ranges with commas between them, `loopback`, `none`
   * (as in HEADCOUNT_TRUSTED_PROXIES). Left out: `loopback`.
   */
  trustedProxies?: string;
  /**
   * The header in which your platform sends the visitor's address, such as `cf-connecting-ip`. It is believed from everybody,
   * so visitors must not be able to set it.
   */
  addressHeader?: string;
  /** Called when Headcount cannot be reached, and when it is back, with the number of lost page views. Left out: console.warn. */
  log?: (message: string) => void;
}
