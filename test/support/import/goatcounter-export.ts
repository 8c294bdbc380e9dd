/**
 * Lines of GoatCounter's export, version 2, by hand: columns as https://www.goatcounter.com/help/export has them
 * (read 2026-11-24).
 */
const columns =
  '2Path,Title,Event,UserAgent,Browser,System,Session,Bot,Referrer,Referrer scheme,Screen size,Location,FirstVisit,Date';

interface View {
  path: string;
  session: string;
  at: string;
  referrer?: readonly [text: string, scheme: 'h' | 'g' | 'c' | 'o'];
  event?: boolean;
  bot?: number;
  browser?: string;
  system?: string;
  location?: string;
}

function line({ path, session, at, referrer = ['', 'h'], ...more }: View): string {
  const { event = false, bot = 0, browser = 'Firefox 135', system = 'Linux', location = 'DE' } = more;
  const cells = [path, 'A "title", with commas', event, '', browser, system, session, bot, ...referrer];
  return [...cells, '1920,1080,1', location, true, at]
    .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
    .join(',');
}

export function goatcounterExport(views: readonly View[]): string {
  return `${[columns, ...views.map(line)].join('\n')}\n`;
}
