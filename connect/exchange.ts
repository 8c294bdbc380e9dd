/** A request and its response, whichever framework handed them over. */
export interface Exchange {
  method: string;
  /** Absolute. */
  url: string;
  /** By lower-case name; the values of a field that came several times joined by `, `. */
  headers: ReadonlyMap<string, string>;
  /** IP address of the peer; undefined: not known. */
  peer: string | undefined;
  /** Of the response; undefined: not known. */
  status: number | undefined;
  /** Content type of the response. */
  type: string | null | undefined;
  /** Its Content-Length; NaN: it has none. */
  bytes: number;
}
