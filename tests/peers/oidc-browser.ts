/**
 * A browser with a person who agrees to everything: `bun oidc-browser.ts URL`. Keeps cookies, follows redirects, fills in
 * the first form of each page and sends it, until a page has none.
 */

const MAX_PAGES = 30;

/** Text of the last page. */
export async function agree(address: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  let form: URLSearchParams | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const response: Response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location');
    form = location === null ? formOf(text) : undefined;
    const next = location ?? /<form[^>]*\baction="([^"]*)"/.exec(text)?.[1];
    if (next === undefined || (location === null && form === undefined)) return text;
    url = new URL(next.replaceAll('&amp;', '&'), url);
  }
  throw new Error('there was no end of pages');
}

/** What a person sends with the first form of a page. */
function formOf(html: string): URLSearchParams | undefined {
  const form = /<form[\s\S]*?<\/form>/.exec(html)?.[0];
  if (form === undefined) return undefined;
  const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([input]) => [
    /\bname="([^"]*)"/.exec(input)?.[1] ?? '',
    /\bvalue="([^"]*)"/.exec(input)?.[1] ?? 'ada',
  ]);
  return new URLSearchParams(Object.fromEntries(inputs));
}

if (import.meta.main) await agree(process.argv.at(-1) ?? '');
