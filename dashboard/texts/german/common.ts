import type { t as english } from '../common.ts';
import type { In } from '../translation.ts';

export const common = {
  cancel: 'Abbrechen',
  continueWith: 'Weiter mit {label}',
  copyWhat: 'Kopieren: {what}',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyItByHand: 'Bitte von Hand kopieren',
  asACsvFile: '{title} als CSV-Datei',
  csvFile: 'CSV-Datei',
  close: 'Schließen',
  // What the server says of a field is English.
  fieldFault: 'This {message}.',
  thisPageCouldNotBeLoaded: 'Diese Seite konnte nicht geladen werden',
  headcountMayHaveBeenUpdated:
    'Vielleicht wurde Headcount aktualisiert, seit Sie es geöffnet haben, oder der Server ist nicht mehr da.',
  loadItAgain: 'Neu laden',
  tryAgain: 'Noch einmal versuchen',
  theServerDoesNotRespond: 'Der Server antwortet nicht.',
  youAreOffline: 'Sie sind offline.',
  tryNow: 'Jetzt versuchen',
  code: 'Code',
  sixDigitsOrRecoveryCode: 'Die sechs Ziffern, die Ihre App zeigt, oder ein Wiederherstellungscode.',
  sixDigits: 'Die sechs Ziffern, die Ihre App zeigt.',
  skipToContent: 'Zum Inhalt springen',
  language: 'Sprache',
  thisLanguageCouldNotBeLoaded: 'Diese Sprache konnte nicht geladen werden. Versuchen Sie es noch einmal.',
  theme: 'Farben: {theme}',
  timeZone: 'Zeitzone',
  timeZoneHint:
    'Tage beginnen und enden um Mitternacht dieser Zone. Schon gezählte Aufrufe bleiben bei ihrem Tag.',
  mayBeOutOfDate:
    'Was Sie sehen, ist vielleicht nicht mehr aktuell. Es wird aufgefrischt, sobald die Verbindung wieder steht.',
  themes: { auto: 'wie im System', light: 'hell', dark: 'dunkel' },
  people: { one: '{count} Mensch', other: '{count} Menschen' },
  visitors: { one: '{count} Besucher', other: '{count} Besucher' },
  days: { one: '{count} Tag', other: '{count} Tage' },
  seconds: { one: '{count} Sekunde', other: '{count} Sekunden' },
  steps: { one: '{count} Schritt', other: '{count} Schritte' },
  tokens: { one: '{count} Token', other: '{count} Tokens' },
  noChange: 'unverändert',
  theSameAs: 'Genauso viele wie {period}.',
  newHere: 'neu',
  thereWereNone: 'Es gab keine {period}.',
  moreThan: '{share} mehr als die {count} {period}.',
  fewerThan: '{share} weniger als die {count} {period}.',
  lessThan: 'weniger als {amount}',
  allDaysUpTo: 'Alle Tage bis zum {day}',
  fromTo: '{from} bis {to}',
  projectPages: {
    overview: 'Übersicht',
    jobs: 'Aufträge',
    rules: 'KI-Regeln',
    install: 'Einbau',
    keys: 'Schlüssel',
    settings: 'Einstellungen',
  },
  theServerCannotBeReached:
    'Der Server ist nicht erreichbar. Prüfen Sie, ob er läuft und ob Sie online sind.',
  theServerAnsweredWith:
    'Der Server hat mit dem Status {status} geantwortet. Versuchen Sie es gleich noch einmal.',
} as const satisfies In<'de', typeof english>;
