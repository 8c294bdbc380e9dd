import type { t as english } from '../goals.ts';
import type { In } from '../translation.ts';

export const goals = {
  events: 'Ereignisse',
  unitVisitors: 'Besucher',
  nothingInThisPeriodPagesTell:
    'Nichts in diesem Zeitraum. Von Anmeldungen, Downloads und Ähnlichem berichten Seiten durch Ereignisse: siehe docs/script.md.',
  theRateIsPeopleByWhom:
    'Die Rate ist der Anteil der Menschen, bei denen es geschah, an allen Menschen auf der Website, nach Tagen.',
  eventsByVisitors: 'Ereignisse nach Besuchern',
  event: 'Ereignis',
  eventNamed: 'Ereignis: {name}',
  thisEventHadNoProperties: 'Dieses Ereignis hatte in diesem Zeitraum keine Eigenschaften.',
  allEvents: 'Alle Ereignisse',
  theRateIsPeopleWithThatValue:
    'Die Rate ist der Anteil der Menschen mit diesem Wert an allen, bei denen es geschah.',
  propertiesOfByVisitors: 'Eigenschaften von {name} nach Besuchern',
  property: 'Eigenschaft',
  people: 'Menschen',
  times: 'Anzahl',
  rate: 'Rate',
  funnels: 'Trichter',
  unitPeople: 'Menschen',
  noFunnelIsSetNameTheSteps:
    'Es ist kein Trichter festgelegt. Nennen Sie die Schritte eines Weges in den Einstellungen des Projekts.',
  stepsOfFunnelsByPeople: 'Schritte der Trichter nach Menschen',
  step: 'Schritt',
  madeIt: 'Geschafft',
  ofTheFirst: 'Vom ersten',
  goals: 'Ziele',
  noGoalIsSet:
    'Es ist kein Ziel festgelegt. Nennen Sie in den Einstellungen des Projekts die Ereignisse und Seiten, auf die es ankommt.',
  goalsByPeople: 'Ziele nach Menschen',
  goal: 'Ziel',
  goalNamed: 'Ziel: {name}',
  nobodyReachedThisGoal:
    'Niemand hat dieses Ziel in diesem Zeitraum erreicht, an den Tagen, an denen es gemessen wurde.',
  allGoals: 'Alle Ziele',
  byWhat: 'Wonach',
  conversionsBy: {
    source: {
      title: 'Quellen',
      head: 'Gekommen von',
      caption: 'Quellen der Menschen, die {name} erreicht haben',
    },
    path: {
      title: 'Einstiegsseiten',
      head: 'Seite',
      caption: 'Einstiegsseiten der Menschen, die {name} erreicht haben',
    },
    country: {
      title: 'Länder',
      head: 'Land',
      caption: 'Länder der Menschen, die {name} erreicht haben',
    },
  },
  reachedIt: 'Erreicht',
  ofAll: 'Von',
  aPersonCountsOnceADay:
    'Ein Mensch zählt einmal am Tag, von allen Menschen der Tage, an denen das Ziel gemessen wurde.',
  notMeasuredForOneGoalOrMore: 'Nicht gemessen, bei mindestens einem Ziel: {days} dieses Zeitraums.',
  viewsReachNoGoal: {
    one: '{count} Aufruf zählt als „Alle anderen“ und erreicht kein Ziel.',
    other: '{count} Aufrufe zählen als „Alle anderen“ und erreichen kein Ziel.',
  },
  thoseWhoReachedIt: 'Wer es erreicht hat, von allen, deren Besuch so begann.',
  notMeasuredDays: 'Nicht gemessen: {days} dieses Zeitraums.',
  ai: 'KI',
  peopleWhoMadeTheStep: 'Menschen, die den Schritt nach denen davor taten, an einem Tag.',
  notMeasuredForOneFunnelOrMore: 'Nicht gemessen, bei mindestens einem Trichter: {days} dieses Zeitraums.',
} as const satisfies In<'de', typeof english>;
