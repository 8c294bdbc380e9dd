import { statSync } from 'node:fs';
import type { CopyOptions, FileContent, FileState, HeldFolder, UnnamedCopy } from '../../store-files.ts';
import { newestVersion, readVersion, requireKnown } from '../schema.ts';
import { isDamage } from '../trouble.ts';
import { copyDatabase, copyUnnamed, unreadable } from './copying.ts';
import { inspectDatabase } from './inspecting.ts';
import { Replacement } from './replacing.ts';
import { findHurt } from './salvaging.ts';

/** Works on a database as a file. */
export class FileKeeper {
  readonly #file: string;
  #replacement: Replacement | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  describe(): FileState {
    const [version, knownVersion] = [readVersion(this.#file), newestVersion()];
    requireKnown(version, this.#file);
    const sizes = ['', '-wal'].map(
      (suffix) => statSync(this.#file + suffix, { throwIfNoEntry: false })?.size ?? 0,
    );
    return { version, knownVersion, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }

  findHurt(): string[] {
    try {
      return findHurt(this.#file);
    } catch (error) {
      throw isDamage(error) ? unreadable(this.#file, error) : error;
    }
  }

  copy(target: string, options: CopyOptions): string[] {
    return copyDatabase(this.#file, target, options);
  }

  copyUnnamed(options: CopyOptions): UnnamedCopy {
    return copyUnnamed(this.#file, options);
  }

  hold(): HeldFolder {
    this.#replacement ??= new Replacement(this.#file);
    return { draft: this.#replacement.draft, isInUse: this.#replacement.isNeeded };
  }

  inspectDraft(): FileContent {
    return inspectDatabase(this.#held.draft);
  }

  useDraft(): string | null {
    return this.#held.useDraft();
  }

  close(): void {
    this.#replacement?.release();
  }

  get #held(): Replacement {
    if (!this.#replacement) throw new Error('The folder has to be held first.');
    return this.#replacement;
  }
}
