import type { t as english } from '../settings.ts';
import type { In } from '../translation.ts';

export const settings = {
  settings: 'Einstellungen',
  onlyAnOwnerChangesThis: 'Das können nur Eigentümer ändern.',
  saved: 'Gespeichert',
  saveSection: 'Speichern: {title}',
  save: 'Speichern',
  frames: 'Frames',
  whatAShareLinkLeadsToIsShown:
    'Wohin ein Freigabelink führt, das wird in Frames der Websites gezeigt, die Sie nennen. Andere Seiten des Dashboards niemals.',
  originsOfTheseSites: 'Origins dieser Websites',
  onePerLineLeaveItEmpty: 'Eine pro Zeile. Leer lassen, um keine Frames zu erlauben.',
  leaveItEmptyToCountAllHosts: 'Leer lassen, um alle Hosts zu zählen.',
  ifItIsEmptyAllHosts: 'Ist das Feld leer, werden alle Hosts gezählt, auch Ihr eigener Rechner.',
  nameTheHostsOfYourSitePages:
    'Nennen Sie die Hosts Ihrer Website. Seiten wurden auf {hosts} gesehen. Ist das Feld leer, werden alle Hosts gezählt, localhost und andere private Namen aber nur, bis ein öffentlicher gesehen wurde.',
  hostNames: 'Hostnamen',
  onePerLineViewsOnOtherHosts: 'Einer pro Zeile. Aufrufe auf anderen Hosts werden nicht gezählt. {hint}',
  queryParametersToKeep: 'Query-Parameter, die bleiben',
  onePerLineTheyStayPart:
    'Einer pro Zeile. Sie bleiben Teil des Pfads, wie in /search?page=2; alle anderen werden entfernt.',
  excludedPaths: 'Ausgeschlossene Pfade',
  onePerLineStandsForOnePart:
    'Einer pro Zeile. * steht für einen Teil eines Pfads, ** für beliebig viele Teile.',
  excludedIpAddresses: 'Ausgeschlossene IP-Adressen',
  addressesAndRangesWhose: 'Adressen und Bereiche, deren Besuche nicht gezählt werden, etwa die Ihres Büros.',
  goals: 'Ziele',
  signUpThanks: 'Anmeldung\n/thanks',
  onePerLineTheNameOfAnEvent:
    'Eines pro Zeile: der Name eines Ereignisses oder ein Pfad, in dem * und ** für beliebige Teile stehen. Wie viele Menschen sie erreichen, wird ab morgen gezählt.',
  funnels: 'Trichter',
  onePerLine2To5Goals:
    'Einer pro Zeile: 2 bis 5 Ziele, die Menschen an einem Tag nacheinander erreichen sollen.',
  site: 'Website',
  name: 'Name',
  publicHost: 'Öffentlicher Host',
  itsRobotsTxtAndSitemap:
    'Seine robots.txt und Sitemap werden einmal am Tag abgerufen, um zu sagen, was KI-Clients daraus machen. Leer lassen, um nichts abzurufen.',
  priceOfAGbOfTraffic: 'Preis für ein GB Datenverkehr',
  inAnyCurrencyThenEachAi:
    'In beliebiger Währung. Dann hat jeder KI-Client seine Kosten, soweit Ihr Server oder Protokoll die Länge der Antworten nennt.',
  personalPartsOfPaths: 'Persönliche Teile von Pfaden',
  countThemAsEmailIdAndToken: 'Als :email, :id und :token zählen',
  keepThemAsTheyAre: 'So lassen, wie sie sind',
  eMailAddressesUuidsAndLong:
    'E-Mail-Adressen, UUIDs und lange zufällige Tokens, wie in /reset/:token. Was schon gezählt ist, bleibt.',
  sharing: 'Freigabe',
  nothingInThisProjectIsPublic: 'Nichts in diesem Projekt ist öffentlich.',
  created: '{description} Angelegt {createdAt}.',
  badgeOf: 'Badge von {projectName}',
  open: 'Öffnen',
  revoke: 'Widerrufen',
  linkKinds: {
    page: {
      title: 'Freigabelink',
      what: 'Freigabelink',
      description: 'Wer ihn hat, kann die Übersicht sehen und nichts ändern.',
      create: 'Freigabelink anlegen',
      revokeThis: 'Diesen Freigabelink widerrufen',
      question: 'Diesen Freigabelink widerrufen?',
      revoke: 'Freigabelink widerrufen',
      consequence:
        'Seine Adresse funktioniert sofort nicht mehr. Ein neuer Freigabelink bekommt eine andere Adresse.',
    },
    badge: {
      title: 'Badge',
      what: 'Badge',
      description: 'Ein Bild mit den Besuchern der letzten 30 Tage, für eine README oder eine Seite.',
      create: 'Badge anlegen',
      revokeThis: 'Dieses Badge widerrufen',
      question: 'Dieses Badge widerrufen?',
      revoke: 'Badge widerrufen',
      consequence:
        'Seine Adresse funktioniert sofort nicht mehr. Ein neues Badge bekommt eine andere Adresse.',
    },
  },
  removeTheProject: 'Projekt entfernen',
  thisDeletesItsCountsKeys:
    'Dies löscht seine Zahlen, Schlüssel, Links und Aufträge für immer. Schon geöffnete Pull-Requests bleiben.',
  removeThisProject: 'Dieses Projekt entfernen …',
  removeThisProjectQuestion: 'Dieses Projekt entfernen?',
  removeProject: 'Projekt entfernen',
  thisCannotBeUndoneToConfirm:
    'Das lässt sich nicht rückgängig machen. Geben Sie zur Bestätigung den Namen des Projekts ein: {name}',
  nameOfTheProject: 'Name des Projekts',
  reportsAndAlerts: 'Berichte und Hinweise',
  theNumbersOfAWeekOrAMonth:
    'Die Zahlen einer Woche oder eines Monats und was inzwischen geschieht, per Mail und an einen Webhook, sobald die Tage abgeschlossen sind.',
  sendTheNumbers: 'Zahlen senden',
  formatOfTheWebhook: 'Format des Webhooks',
  itsAddressAndWhatItIsSigned: 'Seine Adresse und womit er signiert wird, legen Sie unter Geheimnisse fest.',
  sendMailTo: 'Mail senden an',
  oneAddressPerLineTheMail:
    'Eine Adresse pro Zeile. Der Mailserver wird in der Umgebung des Servers festgelegt.',
  tellWhen: 'Hinweisen, wenn',
  sentLately: 'Zuletzt gesendet',
  nothingWasSentInTheLast30: 'In den letzten 30 Tagen wurde nichts gesendet.',
  sendATrial: 'Probe senden',
  theWebhook: 'den Webhook',
  itIsTriedAgainAfter: 'Der nächste Versuch folgt nach {moment}.',
  digests: { never: 'Nie', weekly: 'Jede Woche, von Montag bis Sonntag', monthly: 'Jeden Monat' },
  webhookFormats: { standard: 'JSON, signiert (Standard Webhooks)', slack: 'Nachrichten für Slack' },
  alertTexts: {
    new_client: 'Ein KI-Client zum ersten Mal kommt',
    silent_client: 'Ein KI-Client nicht mehr kommt',
    busy_client: 'Ein KI-Client dreimal so viel liest wie sonst',
    spoofing: 'Dreimal so viele Zugriffe sich als KI-Client ausgeben',
    silent_way: 'Über das Skript, den Server oder das Protokoll nichts mehr ankommt',
    finished_job: 'Ein Auftrag fertig oder fehlgeschlagen ist',
  },
  retention: 'Aufbewahrung',
  countsAreKeptForGoodAndThose:
    'Zahlen werden für immer aufbewahrt und die der Stunden einen Tag lang, wenn Sie nichts anderes festlegen.',
  deleteOlderCounts: 'Ältere Zahlen löschen?',
  saveAndDelete: 'Speichern und löschen',
  olderCountsAreDeletedWithin:
    'Ältere Zahlen werden innerhalb einer Minute gelöscht. Nur eine Sicherung kann sie zurückbringen.',
  keepDetailsForMonths: 'Einzelheiten aufbewahren (Monate)',
  forGood: 'für immer',
  pathsSourcesAiClientsAndAll:
    'Pfade, Quellen, KI-Clients und alles andere, wonach ein Tag gezählt wurde; seine Besucher und Aufrufe bleiben. Leer lassen, um sie für immer aufzubewahren.',
  keepCountsForMonths: 'Zahlen aufbewahren (Monate)',
  everythingThatWasCounted:
    'Alles, was an einem Tag gezählt wurde. Leer lassen, um es für immer aufzubewahren.',
  keepHoursForDays: 'Stunden aufbewahren (Tage)',
  untilItIsSealed: 'bis zum Abschluss',
  visitorsAndViewsByTheHour:
    'Besucher und Aufrufe nach Stunden, von bis zu 400 Tagen vor heute. Leer lassen, um nur die von heute und gestern aufzubewahren.',
  secrets: 'Geheimnisse',
  theyAreStoredEncrypted:
    'Sie werden verschlüsselt gespeichert und nie wieder angezeigt. Sie können sie ersetzen oder entfernen.',
  isSet: '•••••••••••• ist gesetzt',
  notSet: 'nicht gesetzt',
  replace: 'Ersetzen',
  set: 'Setzen',
  removeSecret: 'Entfernen: {label}',
  remove: 'Entfernen',
  secretKinds: {
    forgeToken: {
      label: 'Token für das Repository',
      hint: 'Auf GitHub ein fein abgestuftes Token nur für dieses Repository, mit Lese- und Schreibzugriff auf Inhalte und Pull-Requests.',
    },
    repositoryTokens: {
      label: 'Tokens für andere Repositorys',
      hint: 'Für jedes eine Zeile: seine Adresse, ein Leerzeichen und ein Token, das es lesen darf. Jedes geht nur an sein eigenes Repository.',
    },
    githubAppKey: { label: 'Privater Schlüssel der GitHub-App', hint: 'Die ganze .pem-Datei.' },
    forgeWebhookSecret: {
      label: 'Geheimnis des Webhooks am Repository',
      hint: 'Dasselbe wie im Webhook beim Code-Host, damit Kommentare sofort bemerkt werden. „openssl rand -hex 32“ gibt eines aus.',
    },
    signingKey: {
      label: 'Privater Schlüssel, der Commits signiert',
      hint: 'Ein SSH-Schlüssel ohne Passphrase: die ganze Datei, die „ssh-keygen -t ed25519 -f key“ anlegt. Hinterlegen Sie seine öffentliche Hälfte beim Code-Host als Signaturschlüssel.',
    },
    webhookUrl: {
      label: 'Adresse des Webhooks',
      hint: 'Wohin Berichte und Hinweise gesendet werden, etwa die eines eingehenden Webhooks von Slack.',
    },
    webhookSecret: {
      label: 'Geheimnis des Webhooks',
      hint: 'Womit signiert wird: whsec_ und 32 zufällige Bytes in Base64, wie „openssl rand -base64 32“ sie ausgibt. Slack braucht keines.',
    },
  },
  replaceSecret: 'Ersetzen: {label}',
  setSecret: 'Setzen: {label}',
  toReceiver: {
    waiting: 'Noch nicht gesendet an {receiver}, verfasst {moment}.',
    sent: 'Gesendet an {receiver}, verfasst {moment}.',
    failed: 'Nicht gesendet an {receiver}, verfasst {moment}.',
  },
  detectAutomatically: 'Automatisch erkennen',
  onlyPushBranches: 'Keiner: nur Branches pushen',
  limits: {
    turnSteps: 'Antworten des Modells in einer Runde',
    turnTokens: 'Tokens in einer Runde',
    turnMinutes: 'Minuten einer Runde',
    turnCost: 'Dollar einer Runde',
    monthlyBudget: 'Dollar in einem Monat',
  },
  noLimit: 'keine Grenze',
  none: 'keines',
  jobs: 'Aufträge',
  theRepositoryThatJobsWork: 'Das Repository, in dem Aufträge arbeiten, und das Modell.',
  branchPrefix: 'Präfix der Branches',
  theNamesOfNewBranchesBegin: 'Die Namen neuer Branches beginnen damit.',
  commitFormat: 'Form der Commit-Titel',
  conventionalOrAPattern:
    'conventional oder ein regulärer Ausdruck wie ^(docs|fix): , dem die Titel entsprechen.',
  anyTitle: 'jeder Titel',
  signOffCommits: 'Commits mit ihrem Autor abzeichnen (DCO)',
  modelLimits: 'Tokens der Modelle',
  oneModelPerLine:
    'Wie viele Tokens ein Modell liest und schreibt, eines pro Zeile. Für die üblichen Modelle von Anthropic, Google und OpenAI ist es bekannt.',
  openPullRequestsAsDrafts: 'Pull-Requests als Entwürfe öffnen',
  fixes42MayCloseIssues: '„Fixes #42“ darf Issues schließen',
  mendFailedChecks: 'Fehlgeschlagene Prüfungen beheben lassen, höchstens zweimal',
  tellEffects: 'An übernommenen Pull-Requests sagen, wie ihre Seiten nach 14 und 28 Tagen gelesen werden',
  commentsBecomeMessages: 'Kommentare, die zu Nachrichten werden',
  askForAReview: 'Um eine Durchsicht bitten',
  whoReviews: {
    owners: 'Die Zuständigen für die geänderten Dateien',
    authors: 'Die Zuständigen, oder sonst, wer dort zuletzt geschrieben hat',
    off: 'Niemanden',
  },
  twoPeopleAtMost:
    'Wenn ein Pull-Request geöffnet wird: höchstens zwei Personen. Die Zuständigen stehen in CODEOWNERS.',
  whoseComments: { members: 'Von allen, die ins Repository schreiben dürfen', off: 'Keine' },
  atPullRequestsOfJobs:
    'An Pull-Requests von Aufträgen. Bei jedem Kommentar wird der Code-Host gefragt, was sein Verfasser darf; andere erhalten keine Antwort.',
  mention: 'Erwähnung',
  whatSuchACommentBeginsWith: 'Womit ein solcher Kommentar beginnt, nach einem @.',
  docsFolder: 'Dokumentationsordner',
  foundByItself: 'wird von selbst gefunden',
  whereTheDocumentationIsIn: 'Wo im Repository die Dokumentation liegt, etwa website/docs.',
  hostsThatAgentsMayRead: 'Hosts, die Agenten lesen dürfen',
  oneNamePerLineAgentsRead:
    'Ein Name pro Zeile. Agenten lesen dort Seiten über https, und nirgends sonst etwas im Web.',
  otherRepositoriesToRead: 'Andere Repositorys, die Agenten lesen dürfen',
  oneAddressPerLineReadOnly:
    'Eine Adresse pro Zeile. Agenten sehen hinein und ändern dort nichts. Tokens für private legen Sie unter Geheimnisse fest.',
  filesThatAgentsMayChange: 'Dateien, die Agenten ändern dürfen',
  oneGlobPerLineBesidesPages:
    'Ein Glob pro Zeile, neben Seiten, Bildern und Navigation. Was Builds ausführen, kann ausgeführt werden, bevor es jemand gelesen hat. !api/** hält Dateien von Agenten fern.',
  repository: 'Repository',
  itsAddressWithoutAUserName:
    'Seine Adresse, ohne Benutzername oder Token. Ein anderer Host entfernt die Geheimnisse unten.',
  model: 'Modell',
  anthropicOpenaiGoogleOr:
    'anthropic/…, openai/…, google/… oder compatible/…. Der API-Schlüssel wird in der Umgebung des Servers festgelegt.',
  startFrom: 'Ausgehen von',
  theDefaultBranch: 'dem Standard-Branch',
  aBranchATagOrACommit: 'Ein Branch, ein Tag oder ein Commit.',
  codeHost: 'Code-Host',
  apiAddress: 'API-Adresse',
  theHostsUsualAddress: 'die übliche Adresse des Hosts',
  onlyForACodeHostOfYourOwn: 'Nur für einen eigenen Code-Host, etwa https://git.example.com/api/v1.',
  limitsAndCosts: 'Grenzen und Kosten',
  costsAreKnownForTheUsual:
    'Kosten sind für die üblichen Modelle von Anthropic, Google und OpenAI bekannt. Ist das Budget eines Monats verbraucht, wird kein Auftrag angenommen.',
  modelWhereThatOneIs: 'Modell, falls jenes überlastet ist',
  useAGithubAppInsteadOfAToken: 'Eine GitHub-App statt eines Tokens verwenden',
  appIdOrClientId: 'App-ID oder Client-ID',
  setTheAppsPrivateKeyUnder: 'Den privaten Schlüssel der App legen Sie unter Geheimnisse fest.',
  installationId: 'Installations-ID',
  foundByTheRepository: 'wird über das Repository gefunden',
  anExternalAgentWorksInstead:
    'Statt des Modells arbeitet ein externer Agent: {command}. Da er ein Programm auf dem Server ausführt, lässt er sich nur auf der Kommandozeile des Servers ändern.',
  pricesCartOrder: '/prices > /cart > Bestellung',
} as const satisfies In<'de', typeof english>;
