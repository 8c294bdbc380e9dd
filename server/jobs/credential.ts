/** What git signs in with at a code host. */
export interface Credential {
  username: string;
  /** A token. It reaches git by its environment only: arguments can be read by every user of the machine. */
  password: string;
}
