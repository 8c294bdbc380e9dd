import { assetPath, healthCheck } from '../../../shared/project/page-rules.ts';

/** Assets that a log is likelier to tell of than a site that reports its pages, which has no room for them. */
const otherAsset = /\.(atom|bmp|cjs|dmg|docx?|eot|exe|m4[av]|mov|og[gv]|otf|pptx?|rar|tgz|wav|xlsx?|7z)$/i;

/** Whether what was sent as this is a page, whatever its name; a plain text may be anything. */
export function isPageByType(contentType: string): boolean {
  return /html|markdown/i.test(contentType);
}

/** Whether a page can have this name; every ending that is not named may be a page's. @param path in its normal form, without a query */
export function isPageByName(path: string): boolean {
  return !assetPath.test(path) && !otherAsset.test(path) && !healthCheck.test(path);
}
