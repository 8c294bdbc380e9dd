const key = 'headcount.session';

/** Notes that this browser has a session, to distinguish it from one that never had any. */
export function noteSession(isOpen: boolean): void {
  try {
    if (isOpen) localStorage.setItem(key, 'open');
    else localStorage.removeItem(key);
  } catch {
    // Storage may be forbidden; then nobody sees that a session has ended.
  }
}

/** Whether a session is gone that nobody of this browser has ended. */
export function hasLostSession(): boolean {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}
