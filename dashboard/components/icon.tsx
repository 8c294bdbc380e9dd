/** Strokes on a field of 16 by 16. */
const shapes = {
  auto: 'M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11',
  light:
    'M8 5.200a2.800 2.800 0 1 0 .01 0zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1.100 1.100M11.900 11.900 13 13M13 3l-1.100 1.100M4.100 11.900 3 13',
  dark: 'M13.500 9.600A5.800 5.800 0 0 1 6.400 2.500a5.800 5.800 0 1 0 7.100 7.100z',
  globe:
    'M8 1.500a6.500 6.500 0 1 0 .01 0zM1.500 8h13M8 1.500c2 2 2.800 4.200 2.800 6.500S10 12.500 8 14.500M8 1.500c-2 2-2.800 4.200-2.800 6.500S6 12.500 8 14.500',
  gear: 'M8 5.600a2.400 2.400 0 1 0 .01 0zM8 1.500v2M8 12.500v2M1.500 8h2M12.500 8h2M3.400 3.400l1.400 1.400M11.200 11.200l1.400 1.400M12.600 3.400l-1.400 1.400M4.800 11.200l-1.400 1.400',
  out: 'M6.500 2.500h-4v11h4M10 4.500 13.500 8 10 11.500M13.500 8H6',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  done: 'M3 8.500 6.500 12 13 4.500',
  down: 'M4 6.500 8 10.500 12 6.500',
  search: 'M7 2.500a4.500 4.500 0 1 0 .01 0zM10.300 10.300 14 14',
  file: 'M8 2.500v7.500M4.800 7 8 10.200 11.200 7M3 13.500h10',
  close: 'M4 4l8 8M12 4l-8 8',
  not: 'M3 6h10M3 10h10M10.500 3l-5 10',
  plus: 'M8 3v10M3 8h10',
  flag: 'M4 14V2.500h8.500L10 5.500l2.500 3H4',
  previous: 'M10 4 6 8l4 4',
  next: 'M6 4l4 4-4 4',
  away: 'M6 3.500H3v9.500h9.500v-3M9 2.500h4.500V7M13.500 2.500 7.500 8.500',
} as const;

export type IconName = keyof typeof shapes;

/** They point forwards or backwards, which is the other way round where one reads from right to left. */
const turned: ReadonlySet<IconName> = new Set(['out', 'previous', 'next', 'away']);

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={turned.has(name) ? 'icon icon-turned' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} />
    </svg>
  );
}

/** Four strokes for people, and the fifth, of another kind, across them. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 20" aria-hidden="true">
      <path class="logo-people" d="M4 3v14M9 3v14M14 3v14M19 3v14" />
      <path class="logo-ai" d="M1 14.500 22.500 5.500" />
    </svg>
  );
}

/** The signs that distinguish people and AI without colour. */
export function Mark({ kind }: { kind: 'human' | 'ai' }) {
  return <span class={`mark mark-${kind}`} aria-hidden="true" />;
}
