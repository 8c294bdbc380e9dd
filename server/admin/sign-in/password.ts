import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { overloaded } from '../../errors.ts';

export interface PasswordCost {
  /** N is two to this power. */
  power: number;
  r: number;
  p: number;
}

/** Of what OWASP recommends the one with 32 MiB: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const usualCost: PasswordCost = { power: 15, r: 8, p: 3 };
const hashBytes = 32;
/** Each takes a tenth of a second of a thread that file access shares; one runs at a time. */
const maxWaiting = 10;

/** Hashes and checks passwords, one after the other. A hash says how it was made: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. */
export class Passwords {
  readonly #cost: PasswordCost;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(cost = usualCost) {
    this.#cost = cost;
  }

  /** @throws ApiError `overloaded` */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hashPassword(password, this.#cost));
  }

  /**
   * @param hash null: there is none, which takes as long to find out as a wrong password
   * @throws ApiError `overloaded`
   */
  matches(password: string, hash: string | null): Promise<boolean> {
    return this.#inTurn(async () => {
      if (hash !== null) return matchesPassword(password, hash);
      await hashPassword(password, this.#cost);
      return false;
    });
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.#waiting >= maxWaiting)
      throw overloaded('Too many people are signing in at once; retry in a moment.');
    this.#waiting++;
    const turn = this.#last.then(task);
    this.#last = turn.catch(() => undefined);
    return turn.finally(() => {
      this.#waiting--;
    });
  }
}

async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost, hashBytes);
  const { power, r, p } = cost;
  return `$scrypt$ln=${power},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

async function matchesPassword(password: string, text: string): Promise<boolean> {
  const [, power, r, p, salt = '', hash = ''] =
    /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text) ?? [];
  if (hash === '') throw new Error('The stored password hash is damaged.');
  const expected = Buffer.from(hash, 'base64');
  const stored = { power: Number(power), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, 'base64'), stored, expected.length);
  return timingSafeEqual(actual, expected);
}

/** Accents typed as one character or as two are the same password (RFC 8265). */
function derive(
  password: string,
  salt: Buffer,
  { power, r, p }: PasswordCost,
  length: number,
): Promise<Buffer> {
  const N = 2 ** power;
  const options = { N, r, p, maxmem: 128 * N * r * 2 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
