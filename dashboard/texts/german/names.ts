import type { t as english } from '../names.ts';
import type { In } from '../translation.ts';

export const names = {
  unknown: 'Unbekannt',
  allOthers: 'Alle anderen',
  directOrUnknown: 'Direkt oder unbekannt',
  purposes: {
    training: 'Training',
    search: 'KI-Suche',
    assistant: 'Assistent',
    coding: 'Coding',
    browser: 'Browser',
  },
  purposeDescriptions: {
    training: 'sammelt Seiten, um Modelle zu trainieren.',
    search: 'baut einen Index auf, aus dem KI ihre Antworten bildet.',
    assistant: 'ruft eine Seite ab, weil jemand danach gefragt hat.',
    coding: 'liest Dokumentation für einen programmierenden Agenten.',
    browser: 'ist ein Browser, den ein KI-Agent für einen Menschen bedient.',
  },
  proofs: { verified: 'Geprüft', claimed: 'Behauptet', inferred: 'Vermutet' },
  proofDescriptions: {
    verified: 'Seine IP-Adresse, sein Hostname oder seine Signatur gehört dem Betreiber.',
    claimed: 'Er nennt diesen Namen, und nichts belegt es.',
    inferred:
      'Er verhält sich wie einer: Er verlangt Markdown, oder in der Seite war ein Agent bei der Arbeit zu sehen.',
  },
  checks: {
    not_listed:
      'Er steht nicht in der Liste der KI-Clients, sodass nichts bekannt ist, woran er sich prüfen ließe.',
    nothing_published: 'Sein Betreiber veröffentlicht nichts, woran es sich prüfen ließe.',
    list_not_loaded:
      'Sein Betreiber veröffentlicht seine Adressen, und dieser Server hat keine aktuelle Kopie dieser Liste.',
    not_in_list: 'Sein Betreiber veröffentlicht seine Adressen, und die, von der er kam, war nicht darunter.',
    name_not_confirmed: 'Sein Betreiber ist an seinen Hostnamen zu erkennen, und keiner wurde bestätigt.',
    not_signed: 'Sein Betreiber kann Anfragen signieren, und diese hatten keine gültige Signatur.',
    user_machine: 'Er läuft auf dem Gerät seines Nutzers, sodass seine Adresse nichts beweist.',
  },
  reasons: {
    bot: { name: 'Bot', description: 'Automatisierung, die keine KI ist.' },
    spoofed: {
      name: 'Gefälschter KI-Client',
      description: 'Er gibt sich als dieser Client aus, aber seine IP-Adresse ist nicht die des Betreibers.',
    },
    foreign_host: {
      name: 'Seite auf einem anderen Host',
      description:
        'Die Seite liegt auf einem Host, den die Einstellungen nicht nennen, oder auf localhost, obwohl Seiten eines anderen Hosts gezählt wurden.',
    },
    excluded_path: {
      name: 'Ausgeschlossener Pfad',
      description: 'Dieser Pfad ist in den Einstellungen ausgeschlossen.',
    },
    excluded_address: {
      name: 'Ausgeschlossene Adresse',
      description: 'Diese IP-Adresse ist in den Einstellungen ausgeschlossen.',
    },
    left_to_script: {
      name: 'Menschen',
      description: 'Von Ihrem Server gemeldet; Menschen zählt das Skript.',
    },
    no_page: {
      name: 'Keine Seite',
      description:
        'Ein Fehler, eine Weiterleitung, ein Vorabruf oder eine Datei für Maschinen, oder was nur Scanner suchen.',
    },
    rate_limited: {
      name: 'Zu viele auf einmal',
      description: 'Ein Netz hat in einer Minute mehr Aufrufe gesendet, als Menschen verursachen können.',
    },
    same_view: {
      name: 'Doppelt gemeldet',
      description: 'Das Skript und Ihr Server haben beide diesen Aufruf eines KI-Clients gemeldet.',
    },
    too_old: { name: 'Zu alt', description: 'Die Meldung kam mehr als 24 Stunden nach dem Aufruf an.' },
  },
  devices: {
    desktop: 'Computer',
    mobile: 'Telefon',
    tablet: 'Tablet',
    smarttv: 'Fernseher',
    console: 'Spielkonsole',
    wearable: 'Uhr oder anderes am Körper',
    xr: 'Headset',
    embedded: 'Eingebautes Gerät',
  },
  families: {
    'search engine': 'Suchmaschine',
    seo: 'SEO- oder Marketingwerkzeug',
    monitor: 'Überwachungsdienst',
    'link preview': 'Linkvorschau',
    'feed reader': 'Feedreader',
    advertising: 'Werbenetz',
    archive: 'Webarchiv',
    research: 'Vermessung des Internets',
    'security scanner': 'Sicherheitsscanner',
    library: 'Skript oder Programm',
    'headless browser': 'Browser ohne Fenster',
    'automated browser': 'Browser, den ein Programm steuert',
    'disguised automation': 'Programm, das sich als Browser ausgibt',
    'signed automation': 'Programm, das seine Anfragen signiert',
    'spoofed AI client': 'gefälschter KI-Client',
    'empty user agent': 'Programm, das keinen Namen nennt',
    'other bot': 'anderer Art',
  },
} as const satisfies In<'de', typeof english>;
