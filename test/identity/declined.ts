/** What crawler-user-agents marks as AI and the catalogue leaves out, with the reason. */
export const declined: ReadonlyMap<string, string> = new Map([
  ['Google-Extended', 'a name for robots.txt: no request carries it'],
  ['semantic-visions', 'media monitoring'],
  ['Spider[\\s\\S]*spider\\.com', 'a word that every crawler carries; nobody has shown such a request'],
]);

const forRobots = 'a name for robots.txt: no request carries it';
const aWord = 'a word that user agents of others carry, too';
const notAi = 'nothing but lists says that it reads for AI';

/** What ai.robots.txt names and the catalogue leaves out, with the reason. */
export const declinedNames: ReadonlyMap<string, string> = new Map([
  ['Google-Extended', forRobots],
  ['ChatGPT Agent', 'signs its requests as a plain Chrome, and is known by that'],
  ['CloudVertexBot', 'sends Google-CloudVertexBot'],
  ['Terra Cotta', 'sends TerraCotta'],
  ['OpenAI', 'programs of anybody that ask OpenAI’s service send it'],
  ['Code', aWord],
  ['LCC', aWord],
  ['Operator', aWord],
  ['Spider', aWord],
  ['YaK', aWord],
  ['wpbot', aWord],
  ['BuddyBot', notAi],
  ['Echobot Bot', notAi],
  ['EchoboxBot', notAi],
  ['Linguee Bot', notAi],
  ['Panscient', notAi],
  ['panscient.com', notAi],
  ['QuillBot', notAi],
  ['quillbot.com', notAi],
  ['Sidetrade indexer bot', notAi],
  ['WARDBot', 'only its address ends in .ai, and is told by that'],
]);
