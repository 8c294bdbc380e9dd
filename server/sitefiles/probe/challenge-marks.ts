/** What an edge answered, as far as it is looked at. */
export interface EdgeAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

interface Mark {
  edge: string;
  header?: { name: string; value: RegExp };
  /** In pages that only a challenge has. */
  body?: RegExp;
  /** Where a redirect to a challenge leads. */
  location?: RegExp;
}

/** Of edges that ask a visitor to prove that it is a person; from their documentation and pages, November 2026. */
const marks: readonly Mark[] = [
  { edge: 'Cloudflare', header: { name: 'cf-mitigated', value: /^challenge$/i } },
  { edge: 'Cloudflare', body: /_cf_chl_opt|<title>Just a moment\.\.\.<\/title>/ },
  { edge: 'Cloudflare', location: /\/cdn-cgi\/challenge|__cf_chl_/ },
  { edge: 'AWS WAF', header: { name: 'x-amzn-waf-action', value: /^(?:challenge|captcha)$/i } },
  { edge: 'AWS WAF', body: /AwsWafIntegration|awsWafCookieDomainList/ },
  { edge: 'Vercel', header: { name: 'x-vercel-mitigated', value: /^challenge$/i } },
  { edge: 'Vercel', body: /<title>Vercel Security Checkpoint/i },
  { edge: 'DataDome', body: /captcha-delivery\.com/ },
  { edge: 'HUMAN (PerimeterX)', body: /id="px-captcha"|_pxAppId/ },
  { edge: 'Imperva', body: /_Incapsula_Resource\?[^"]*(?:SWUDNSAI|CWUDNSAI|incident_id)/ },
  { edge: 'Akamai', body: /sec-if-cpt-container|sec-bc-tile-container/ },
  { edge: 'Kasada', header: { name: 'x-kpsdk-ct', value: /./ } },
  { edge: 'Kasada', body: /window\.KPSDK/ },
  { edge: 'F5', body: /\/TSPD\/|bobcmn/ },
  { edge: 'Sucuri', body: /sucuri_cloudproxy_js/ },
  { edge: 'DDoS-Guard', body: /\/\.well-known\/ddos-guard\/|<title>DDoS-Guard<\/title>/i },
  { edge: 'Anubis', body: /\/\.within\.website\/x\/cmd\/anubis\/|id="anubis_/ },
  { edge: 'go-away', body: /\/git\/go-away\// },
];

/** Pages of a site have these too, where a person fills in a form. */
const captcha = /class="(?:cf-turnstile|g-recaptcha|h-captcha)"|challenges\.cloudflare\.com\/turnstile/;
const challengeAddress = /[/_-](?:captcha|challenge|bot-?check|human-?check|verify-?(?:human|browser))\b/i;

/**
 * Who asks for a proof in this answer.
 *
 * @param usual what a browser is answered: what stands there too is no challenge
 */
export function findChallenge(answer: EdgeAnswer, usual?: EdgeAnswer): string | undefined {
  const { headers, body } = answer;
  const location = textOf(headers.location);
  const found = marks.find(
    (mark) =>
      mark.header?.value.test(textOf(headers[mark.header.name])) ||
      mark.location?.test(location) ||
      (mark.body?.test(body) && !mark.body.test(usual?.body ?? '')),
  );
  if (found) return found.edge;
  if (challengeAddress.test(location)) return 'The site';
  return captcha.test(body) && usual !== undefined && !captcha.test(usual.body) ? 'The site' : undefined;
}

function textOf(field: string | string[] | undefined): string {
  return Array.isArray(field) ? field.join(', ') : (field ?? '');
}
