import { systemTrouble } from '../files/file-trouble.ts';
import { makePrivateFolder } from '../files/private-file.ts';
import { StoreError } from './store.ts';

/** @throws StoreError `unusable` */
export function makeDataFolder(dataDir: string): void {
  inDataFolder(dataDir, () => makePrivateFolder(dataDir));
}

/** @throws StoreError `unusable` where the system does not let it be used */
export function inDataFolder(dataDir: string, use: () => void): void {
  try {
    use();
  } catch (error) {
    throw new StoreError(
      'unusable',
      `The data folder ${dataDir} cannot be used: ${systemTrouble(error as Error)}. Give another with HEADCOUNT_DATA_DIR.`,
      { cause: error },
    );
  }
}
