import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { addStyle } from './lazy.tsx';

interface PicturedProps {
  /** A flag by the code of a country, or the icon of what has this name. */
  kind: 'flag' | 'icon';
  of: string | undefined;
  children: ComponentChildren;
}

/** The first look at a page is not longer for icons, which come when somebody does something there. */
const acted = new Promise((done) => {
  for (const act of ['scroll', 'pointermove', 'pointerdown', 'keydown', 'beforeprint'])
    addEventListener(act, done, { once: true });
});

/** A name behind a small picture. It says all that the picture does, so nothing is said where that does not come. */
export function Pictured({ kind, of, children }: PicturedProps) {
  useEffect(() => {
    (kind === 'icon' ? acted : Promise.resolve()).then(() => addStyle(kind)).catch(() => undefined);
  }, [kind]);
  return <span {...{ [`data-${kind}`]: of }}>{children}</span>;
}
