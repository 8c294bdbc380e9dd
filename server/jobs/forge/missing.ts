import { ForgeRefusal } from './refusal.ts';

/** Undefined: there is no such thing. */
export async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ForgeRefusal && error.status === 404) return undefined;
    throw error;
  }
}
