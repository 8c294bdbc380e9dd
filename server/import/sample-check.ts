import { type IsTrusted, isLocalAddress, parseAddress, withoutPort } from '../net/address.ts';
import { emptyEntry, lastAddress } from './formats/entry.ts';
import { wayOut as formatsThereAre, isHost, resemblance } from './formats/formats.ts';
import { ImportError } from './import-error.ts';
import { type Findings, type LineFormat, linesOf, parserFor, type Sample } from './reading/input.ts';

const wayOut = `If it is in another format, ${formatsThereAre}`;

/** How many lines in a row at the end of a log say that its format changed. */
const manyInARow = 20;

/**
 * Looks at the first lines of a log before anything is counted.
 *
 * @throws ImportError where most of them cannot be read, or none has what every line needs
 */
export function checkSample(sample: Sample, name: string, lineFormat: LineFormat): void {
  const parser = parserFor(lineFormat, sample.text, name);
  const entry = emptyEntry();
  let [requests, unreadable, addresses, methods, statuses, userAgents] = [0, 0, 0, 0, 0, 0];
  for (const line of linesOf(sample.text)) {
    const kind = parser.parse(line, entry);
    if (kind === 'unreadable') unreadable++;
    if (kind !== 'request') continue;
    requests++;
    if (parseAddress(entry.address) !== undefined) addresses++;
    if (entry.method !== '') methods++;
    if (entry.status !== 0) statuses++;
    if (entry.userAgent !== '' || entry.lacksUserAgent) userAgents++;
  }
  const refuse = (why: string) => {
    throw new ImportError('unreadable', `${name}: ${why}. ${wayOut} Nothing was counted.`);
  };
  const lacks = (what: string) => {
    const { title, remedy = '' } = parser;
    // A line without an address in its place is of another format.
    const isGuess = addresses === 0 || title === undefined;
    const about = isGuess ? resemblance(linesOf(sample.text)) : `It looks like ${title}. ${remedy} `;
    throw new ImportError(
      'unreadable',
      `${name}: no line has ${what}. ${about.replace(/ +$/, ' ')}${wayOut} Nothing was counted.`,
    );
  };
  if (unreadable > requests)
    refuse(`${unreadable} of the first ${unreadable + requests} lines cannot be read in this format`);
  if (requests === 0) return;
  if (addresses === 0) lacks('an IP address in a field that is known');
  if (userAgents === 0)
    lacks('a user agent in a field that is known, so that people and programs look the same');
  if (methods === 0) lacks('a method (GET, POST …) in a field that is known');
  if (statuses === 0) lacks('a status (200, 404 …) in a field that is known');
}

/** The error of a log that was read to its end; undefined: none. @param host of the site */
export function checkWhole(
  { requests, unreadable, unreadableInARow, foreign, foreignHost, pages }: Findings,
  name: string,
  { isKnown, host }: { isKnown: boolean; host: string },
): string | undefined {
  if (requests === 0) return undefined;
  // More than hostile requests explain.
  const isMuch = unreadable >= manyInARow && unreadable * 10 > requests;
  if (isMuch || unreadable * 2 > requests || unreadableInARow >= manyInARow) {
    const counted =
      pages > 0
        ? 'What could be read is counted, and headcount import --undo takes it back'
        : 'Nothing of it was counted';
    return `${name}: ${unreadable} of ${requests} requests cannot be read in this format. ${counted}. The other lines can be imported again. ${wayOut}`;
  }
  if (foreign > 0 && pages === 0 && !isKnown)
    return `${name}: all ${foreign} pages are of other hosts than the site's (${host})${isHost(foreignHost) ? `, such as ${foreignHost}` : ''}. Name its host with "headcount project set --host", or give import --host where the log has no host. If there is an address in place of the host, the format is another one. ${wayOut} Nothing of it was counted.`;
  return undefined;
}

/** Where visitors of a log have the address of a proxy that is not trusted; undefined: they do not. */
export function findProxy(findings: Findings, name: string, isTrusted: IsTrusted): string | undefined {
  const { address, counted, hasForwardedFor } = findings;
  const isAlone = counted > 1 && address && isLocalAddress(address);
  const proxies = proxiesIn(findings, isTrusted);
  if (proxies.length === 0 && (!isAlone || (hasForwardedFor && isTrusted(address)))) return undefined;
  const trust = proxies.length === 0 && isAlone ? [address] : proxies;
  const setting = `HEADCOUNT_TRUSTED_PROXIES=${trust.slice(0, 3).join()}`;
  const also =
    trust.length > 3 ? ` and ${trust.length - 3} more, or their ranges, as your proxy or CDN lists them` : '';
  const remedy = hasForwardedFor
    ? `The log has X-Forwarded-For: take the import back with --undo, set ${setting}${also}, and import it again`
    : 'Have your server log the address of the visitor (X-Forwarded-For, or the real IP module of nginx)';
  const from = isAlone
    ? `all views come from the private address ${address}, a proxy's`
    : `most views come from ${trust.slice(0, 3).join(', ')}${trust.length > 3 ? ' …' : ''}, with X-Forwarded-For of many visitors, as from a proxy or CDN that is not trusted`;
  return `${name}: ${from}, so that visitors with the same browser count as one. ${remedy}.`;
}

/** Untrusted addresses that forward most of the views; none where these may be people's own proxies. */
function proxiesIn({ forwarders, counted }: Findings, isTrusted: IsTrusted): string[] {
  const proxies = [...forwarders].filter(
    ([address, { first, hasOthers }]) =>
      hasOthers &&
      parseAddress(address) !== undefined &&
      !isTrusted(address) &&
      !isLocalAddress(withoutPort(lastAddress(first))),
  );
  const views = proxies.reduce((sum, [, one]) => sum + one.views, 0);
  return views * 2 > counted
    ? proxies.sort(([, a], [, b]) => b.views - a.views).map(([address]) => address)
    : [];
}
