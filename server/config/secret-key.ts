export const keyBytes = 32;

/** 32 bytes in base64. Undefined: something else. */
export function decodeKey(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes ? key : undefined;
}
