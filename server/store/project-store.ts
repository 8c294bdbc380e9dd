import type { KeyScope } from '../../shared/accounts/key-scope.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import type { SecretName } from '../../shared/secrets.ts';
import type { Link } from './admin/admin-store.ts';
import type { Actor } from './admin/audit-store.ts';

export interface Project {
  /** Public: it stands in the script line of the site. */
  id: string;
  settings: ProjectSettings;
  createdAt: string;
}

export interface ListedProject extends Project {
  /** Which of its secrets are set. */
  secrets: SecretName[];
}

/** Encrypted before the store gets them; null removes one. */
export type EncryptedSecrets = Partial<Record<SecretName, Uint8Array | null>>;

export interface Key {
  id: string;
  name: string;
  scope: KeyScope;
  /** The one project it is good for; null: all of this installation. */
  projectId: string | null;
  createdAt: string;
  /** RFC 3339 in UTC; null: it has no end. */
  expiresAt: string | null;
  /** Addresses and ranges that it may be used from; none: anywhere. */
  networks: string[];
  /** Who made it; null: that was not recorded. */
  maker: Actor | null;
}

export interface StoredKey extends Key {
  /** Lower-case hexadecimal SHA-256 of the whole key; the key itself is never stored. */
  hash: string;
}

/** What decides about a request; small enough to be held in memory as a whole. */
export interface Directory {
  version: number;
  projects: ListedProject[];
  keys: StoredKey[];
  links: Link[];
  /** Whether the dashboard's password has been set. */
  hasPassword: boolean;
}

/** Projects, their keys and secrets, and what else decides about a request. The rules of `Store` hold. */
export interface ProjectStore {
  directory(): Promise<Directory>;
  /** Of the directory as it is now; every change raises it. */
  directoryVersion(): Promise<number>;
  /**
   * Calls back after changes of the directory: at once after those that were made here, within a second after those of
   * other processes, and perhaps once for several. Answers how to end it.
   */
  onDirectoryChange(changed: () => void): () => void;

  /** Adds the project together with its first keys. */
  addProject(project: Project, keys: StoredKey[]): Promise<void>;
  /** The same where there is no project yet; answers false where there is one. */
  addFirstProject(project: Project, keys: StoredKey[]): Promise<boolean>;
  /** Secrets that are not given stay, and so do the hosts that were noted. Answers false where there is no such project. */
  setProject(projectId: string, settings: ProjectSettings, secrets?: EncryptedSecrets): Promise<boolean>;
  /**
   * Notes that pages on this host were counted, as far as `withHost` has it. Answers false where it was noted already, or
   * there is no such project. A change of settings at the same time keeps it.
   */
  noteHost(projectId: string, host: string): Promise<boolean>;
  readSecrets(projectId: string): Promise<Partial<Record<SecretName, Uint8Array>>>;
  /** Removes the project with its keys, counts, secrets and jobs. Answers false where there is no such project. */
  removeProject(projectId: string): Promise<boolean>;
  /** Answers false, and adds nothing, where the key that makes it is revoked. */
  addKey(key: StoredKey): Promise<boolean>;
  /** With it end the keys that it made, and those that these made. Answers false where there is no such key. */
  revokeKey(keyId: string): Promise<boolean>;
}

/** The key and those that end with it. */
export function endingWith<K extends Key>(keys: readonly K[], keyId: string): K[] {
  const ending = new Set([keyId]);
  // A set is walked on through what is added meanwhile.
  for (const id of ending)
    for (const { id: made, maker } of keys) if (maker?.kind === 'key' && maker.id === id) ending.add(made);
  return keys.filter(({ id }) => ending.has(id));
}
