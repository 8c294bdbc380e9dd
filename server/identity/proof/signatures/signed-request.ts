/** A request as the site's server saw it. */
export interface SignedRequest {
  /** Absolute, as it was asked for. */
  url: string;
  method?: string;
  /** By lower-case name; the values of a field that came several times joined by `, `. */
  headers: Readonly<Record<string, string>>;
  /** When it came, in milliseconds; left out: now. */
  at?: number;
}
