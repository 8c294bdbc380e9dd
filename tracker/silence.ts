import type { Settings } from './track.ts';

declare global {
  interface Navigator {
    /** https://www.w3.org/TR/gpc/ */
    globalPrivacyControl?: boolean;
  }
}

/** Whether views in this browser are not to be counted: its owner said so, or the page is a local file. */
export function isSilenced(settings: Settings): boolean | undefined {
  try {
    if ('headcount.ignore' in localStorage) return true;
  } catch {
    // Where storage is blocked, as in a sandboxed frame, nobody can have set the flag.
  }
  return (
    !/^http/.test(location.href) ||
    (settings.respectGpc != null && (navigator.globalPrivacyControl || navigator.doNotTrack === '1'))
  );
}
