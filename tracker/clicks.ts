import type { Settings, TellEvent } from './track.ts';

/** Besides those of every script. */
export interface EventSettings extends Settings {
  outbound?: string | undefined;
  downloads?: string | undefined;
  /** `data-404` */
  404?: string | undefined;
  /** Names of the parameters in which a page of results has what was looked for, with commas between them. */
  search?: string | undefined;
}

const file =
  /\.(7z|apk|csv|deb|dmg|docx?|epub|exe|gz|iso|mov|mp[34]|msi|od[pst]|pdf|pkg|pptx?|rar|rpm|tar|wav|xlsx?|zip)$/i;

/** Tells of clicks: on what the page's markup names, and on links that lead elsewhere or to files where that is asked for. */
export function tellClicks(tell: TellEvent, settings: EventSettings): void {
  const clicked = ({ target, button }: MouseEvent) => {
    const marked = (target as Element).closest<HTMLElement>('[data-headcount-event]');
    if (marked) return tellMarked(tell, marked);
    const link = (target as Element).closest<HTMLAnchorElement>('a[href]');
    // The button of the right opens a menu, and no page. Of protocols of links only that of the web begins so.
    if (!link || button > 1 || !/^h/.test(link.protocol)) return;
    const address = link.origin + link.pathname;
    if (settings.downloads != null && (link.hasAttribute('download') || file.test(link.pathname))) {
      tell('Download', { file: address });
    } else if (settings.outbound != null && link.host !== location.host) {
      tell('Outbound link', { to: address });
    }
  };
  // Seen on the way down, as a page may stop a click on its way up.
  addEventListener('click', clicked, true);
  // Of the middle button, which opens a link in a new tab.
  addEventListener('auxclick', clicked, true);
}

/** The event's name, and its properties in further attributes. */
function tellMarked(tell: TellEvent, { dataset: { headcountEvent, ...dataset } }: HTMLElement): void {
  const properties: Record<string, unknown> = {};
  for (const name in dataset) {
    name.replace(/^headcount(.)(.*)/, (_name, first, rest) => {
      properties[first.toLowerCase() + rest] = dataset[name];
      return undefined as never;
    });
  }
  tell(headcountEvent as string, properties);
}
