/** AI clients that the package knows and does not tag as AI: it sorts them by their means instead. */
export const untagged = new Set([
  'Amazon Buy For Me', // the operator's shopping agent
  'Google-Agent', // the operator says: an agent
  'GoogleAgent-Mariner', // what Google-Agent was called before
  'Gemini CLI', // fetches for a coding agent
  'Manus', // the operator says: an agent
  'NovaAct', // the operator says: an agent
  'opencode-smartfetch', // fetches for a coding agent
  'TwinAgent', // the operator says: an agent
  'AddSearchBot', // reads for AI answers in site search
  'Amazonbot', // the operator says: may train Amazon's models
  'Cotoyogi', // the operator says: for Japanese language models
  'Diffbot', // sells what it reads to AI makers
  'Factset_spyderbot', // reads for FactSet's AI
  'FriendlyCrawler', // gathers data for machine learning
  'ImagesiftBot', // gathers images for models
  'ISSCyberRiskCrawler', // gathers data for machine learning
  'Meta-ExternalFetcher', // fetches for Meta AI
  'Meta-WebIndexer', // the index of Meta AI
  'PanguBot', // for Huawei's model of that name
  'QualifiedBot', // reads for an AI assistant in sales
  'Timpibot', // an index sold for training
  'WRTNBot', // of an AI maker
  'YouBot', // the index of an AI search
  'Anchor (unlisted, Anchor)', // an agent's browser; its maker says so
  'WorldBot (unlisted, World Labs)', // of an AI maker
  'WARDBot (unlisted)', // ai.robots.txt lists it
]);
