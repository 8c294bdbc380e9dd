import type { t as english } from '../frame.ts';
import type { In } from '../translation.ts';

export const frame = {
  yourFirstProject: 'Ihr erstes Projekt',
  aProjectIsASiteWhoseVisitors:
    'Ein Projekt ist eine Website, deren Besucher gezählt werden. Es bekommt ein eigenes Skript und eigene Schlüssel.',
  noProjectYet: 'Noch kein Projekt',
  youHaveARoleInNoProjectAsk:
    'Sie haben in keinem Projekt eine Rolle. Bitten Sie einen Eigentümer, Ihnen eine zu geben.',
  pageNotFound: 'Seite nicht gefunden',
  thereIsNoProject: 'Unter dieser Adresse gibt es kein Projekt. Vielleicht wurde es entfernt.',
  noPageViewsYet: 'Noch keine Seitenaufrufe',
  addOneLineToYourPages:
    'Fügen Sie Ihren Seiten eine Zeile hinzu, und der erste Besuch erscheint hier nach wenigen Sekunden.',
  installTheScript: 'Skript einbauen',
  someAreForItsOwnersAlone: 'Manche sind nur für Eigentümer.',
  goToItsOverview: 'Zur Übersicht des Projekts',
  withThisPasswordYouCanSee: 'Mit diesem Passwort können Sie in Headcount alles sehen und alles ändern.',
  withThisPasswordAndTheName:
    'Mit diesem Passwort und dem Namen {name} melden Sie sich von nun an bei Headcount an.',
  thisLinkIsNotComplete: 'Dieser Link ist nicht vollständig',
  theTwoPasswordsDifferType: 'Die beiden Passwörter unterscheiden sich. Geben Sie zweimal dasselbe ein.',
  setThePassword: 'Passwort festlegen',
  setPasswordAndSignIn: 'Passwort festlegen und anmelden',
  password: 'Passwort',
  atLeast10Characters: 'Mindestens 10 Zeichen.',
  repeatThePassword: 'Passwort wiederholen',
  readOnly: 'Nur lesen',
  visitors: 'Besucher',
  signIn: 'Anmelden',
  signingIn: 'Anmeldung läuft …',
  name: 'Name',
  leaveItEmptyToSign: 'Leer lassen, um sich mit dem Passwort des Administrators anzumelden.',
  secondFactor: 'Zweiter Faktor',
  lostYourPhoneAndTheRecovery:
    'Telefon und Wiederherstellungscodes verloren? Wer einen Namen hat, fragt einen Eigentümer; für den Administrator schaltet {command} auf dem Server den zweiten Faktor ab.',
  startOver: 'Von vorn beginnen',
  noPasswordHasBeenSetYet: 'Es ist noch kein Passwort festgelegt',
  openTheOneTimeLink:
    'Öffnen Sie den einmaligen Link, den der Server beim Start ausgegeben hat. Einen neuen gibt {command} auf dem Server aus.',
  yourSessionHasEnded:
    'Ihre Sitzung ist beendet: Sie wurde 30 Tage lang nicht genutzt, sie begann vor 90 Tagen, Sie haben sich überall abgemeldet, das Passwort wurde geändert, oder Sie wurden entfernt. Melden Sie sich an, um dort weiterzumachen, wo Sie waren.',
  toTheSignInPage: 'Zur Anmeldung',
  createProject: 'Projekt anlegen',
  hostNameOfTheSite: 'Hostname der Website',
  viewsOnOtherHosts: 'Aufrufe auf anderen Hosts werden nicht gezählt. Leer lassen, um alle Hosts zu zählen.',
  newProject: 'Neues Projekt',
  projectSwitch: 'Projekt {name}, wechseln',
  allProjects: 'Alle Projekte',
  projects: 'Projekte',
  noProjectHasThisName: 'Kein Projekt heißt so.',
  searchProjects: 'Projekte suchen',
  search: 'Suchen',
  headcountHome: 'Headcount, Startseite',
  installation: 'Installation',
  signOut: 'Abmelden',
  project: 'Projekt',
  goToTheFirstProject: 'Zum ersten Projekt',
  goToAllProjects: 'Zu allen Projekten',
  thisProjectHasNoSuchPage: 'Eine solche Seite hat dieses Projekt nicht.',
  copyTheWholeAddressPrinted:
    'Kopieren Sie die ganze Adresse, die der Server ausgegeben hat, mit allem, was hinter dem # steht.',
  copyTheWholeAddressSent:
    'Kopieren Sie die ganze Adresse, die Ihnen geschickt wurde, mit allem, was hinter dem # steht.',
  forgotThePassword:
    'Passwort vergessen? Auf dem Server gibt {command} einen Link aus, mit dem Sie ein neues festlegen.',
  ifYouSignInWithAName: 'Wer einen Namen hat, bittet einen Eigentümer um einen neuen Link.',
} as const satisfies In<'de', typeof english>;
