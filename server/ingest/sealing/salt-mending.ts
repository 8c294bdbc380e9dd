import { isLeftOut, isPlainSalt, type SaltCipher } from '../../counting/visitor/salt.ts';
import type { Log } from '../../log.ts';
import type { KeptSalt } from '../../store/counts/counting-store.ts';
import type { Store } from '../../store/store.ts';

interface Parts {
  store: Pick<Store, 'listSalts' | 'replaceSalts'>;
  saltCipher: SaltCipher;
  log: Log;
}

/**
 * Makes all salts readable with the current key: those that an older version kept as they are are encrypted, and in the place
 * of those that another key encrypted come new ones, as counting has to go on.
 */
export async function mendSalts(parts: Parts): Promise<void> {
  const { store, saltCipher, log } = parts;
  await fillSalts(parts);
  const foreign = await findForeignSalts(parts);
  if (foreign.length === 0) return;
  await store.replaceSalts(foreign.map((kept) => ({ ...kept, by: saltCipher.make(kept) })));
  log.error(
    `The key that encrypted the salts of ${countDays(foreign)} is not the one at hand, as after restoring a backup without its key. These days get new salts: who came before comes as a new visitor, and may be counted twice on the same day.`,
  );
}

/** Those that are not there, or not encrypted. */
export async function fillSalts(parts: Parts): Promise<void> {
  await encryptPlainSalts(parts);
  await replaceLeftOut(parts);
}

async function replaceLeftOut({ store, saltCipher, log }: Parts): Promise<void> {
  const leftOut = (await store.listSalts()).filter(({ salt }) => isLeftOut(salt));
  if (leftOut.length === 0) return;
  await store.replaceSalts(leftOut.map((kept) => ({ ...kept, by: saltCipher.make(kept) })));
  log.info(
    `The backup that was restored holds no visitors of ${countDays(leftOut)}. A visitor who was counted before it was made may be counted again on the same day.`,
  );
}

/** Up to 0.1 salts were kept as they are. */
async function encryptPlainSalts({ store, saltCipher, log }: Parts): Promise<void> {
  const plain = (await store.listSalts()).filter(({ salt }) => isPlainSalt(salt));
  if (plain.length === 0) return;
  await store.replaceSalts(plain.map((kept) => ({ ...kept, by: saltCipher.encrypt(kept, kept.salt) })));
  log.info(`The salts of ${countDays(plain)} were encrypted, with a key that is not part of the database.`);
}

/** Salts that are encrypted, and that the current key cannot read. */
export async function findForeignSalts({ store, saltCipher }: Omit<Parts, 'log'>): Promise<KeptSalt[]> {
  const encrypted = await listEncryptedSalts(store);
  return encrypted.filter((one) => saltCipher.decrypt(one, one.salt) === undefined);
}

/** Those that take a key to read: a day that was restored without its visitors has none. */
export async function listEncryptedSalts(store: Pick<Store, 'listSalts'>): Promise<KeptSalt[]> {
  return (await store.listSalts()).filter(({ salt }) => !isPlainSalt(salt) && !isLeftOut(salt));
}

function countDays(salts: readonly KeptSalt[]): string {
  return salts.length === 1 ? 'an active day' : `${salts.length} active days`;
}
