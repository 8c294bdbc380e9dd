/** Replaces every secret in a text, also where it stands in base64 alone or as `user:secret`. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    hidden = hidden.replaceAll(secret, '***');
    for (const form of encodedForms(secret)) hidden = hidden.replaceAll(form, '***');
  }
  return hidden;
}

/** Base64 shifts with the bytes before it: the part that stays the same is there in one of three forms. */
function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return encoded.slice(Math.ceil((shift * 4) / 3), -1);
  });
  return [encodeURIComponent(secret), ...forms].filter((form) => form.length >= 8);
}
