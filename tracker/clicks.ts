import type { WithPrototype } from './page.ts';
import type { SendEvent, Settings } from './track.ts';

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

/** Sends an event for each click on what the page's markup names, and on links to other sites or to files where that is asked for. */
export function watchClicks(send: SendEvent, settings: EventSettings): void {
  const clicked = (event: MouseEvent) => {
    try {
      // The button of the right opens a menu, and no page.
      if (event.button > 1) return;
      /** From the clicked node outwards, open shadow trees included. Not all are elements: `window.matches` may be one. */
      const closest = (selector: string) =>
        event
          .composedPath()
          .find(
            (node) => node instanceof Element && Element.prototype.matches.call(node, selector),
          ) as Element;
      const marked = closest('[data-headcount-event]');
      if (marked) {
        // Of the prototype, as a form answers to the names of its fields.
        const dataset = Reflect.get((marked as unknown as WithPrototype).__proto__, 'dataset', marked);
        const properties: Record<string, unknown> = {};
        for (const name in dataset) {
          name.replace(
            /^headcount(?!Event$)(.)(.*)/,
            (_name, first, rest) => (properties[first.toLowerCase() + rest] = dataset[name]),
          );
        }
        return send(dataset.headcountEvent, properties);
      }
      // Whatever the browser takes for one: `area`, SVG and, in Firefox, MathML as well.
      const link = closest(':any-link');
      const url = new webkitURL(
        link.getAttribute('href') || (link.getAttribute('xlink:href') as string),
        link.baseURI,
      );
      const address = url.origin + url.pathname;
      // Of protocols of links only that of the web begins so.
      if (!/^h/.test(url as unknown as string)) return;
      if (settings.downloads != null && (link.hasAttribute('download') || file.test(address))) {
        send('Download', { file: address });
      } else if (settings.outbound != null && url.host !== location.host) {
        send('Outbound link', { to: address });
      }
    } catch {
      // Counting must not be what breaks a page.
    }
  };
  // Seen on the way down, as a page may stop a click on its way up.
  addEventListener('click', clicked, true);
  // Of the middle button, which opens a link in a new tab.
  addEventListener('auxclick', clicked, true);
}
