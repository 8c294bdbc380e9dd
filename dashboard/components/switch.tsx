import { Link } from '../router/router.tsx';

export interface SwitchProps {
  label: string;
  /** Values and how they are shown. */
  options: Readonly<Record<string, string>>;
  value: string;
  hrefOf: (value: string) => string;
}

/** A choice of a few, each of which is an address. */
export function Switch({ label, options, value, hrefOf }: SwitchProps) {
  return (
    <nav class="switch" aria-label={label}>
      {Object.entries(options).map(([key, name]) => (
        <Link key={key} href={hrefOf(key)} aria-current={key === value ? 'true' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
