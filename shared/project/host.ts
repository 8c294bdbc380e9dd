/**
 * A host name as browsers write it: lower case, other letters than ASCII's in Punycode, no dot at the end. A `*.` in front
 * stays. Undefined: this cannot be a host, or more than one is written, such as a port.
 */
export function hostAsSent(text: string): string | undefined {
  const [, wildcard = '', name = ''] = /^(\*\.)?(.*)$/s.exec(text.trim()) ?? [];
  const written = /^[\da-f:.]*:[\da-f:.]*:[\da-f:.]*$/i.test(name) ? `[${name}]` : name;
  // Other parts of a URL would be dropped or decoded by `URL`.
  if (
    written === '' ||
    /[\s/\\?#@%*\p{C}\p{Default_Ignorable_Code_Point}]/u.test(written) ||
    /:\d*$/.test(written)
  )
    return undefined;
  const host = URL.parse(`https://${written}/`)?.hostname.replace(/\.$/, '');
  return host ? wildcard + host : undefined;
}
