/** An address at a terminal: shown whole, its host made plain, opened only after a yes. */

import { hostKind } from '../base/address.ts';
import { nodeUrl } from '../base/lazy-node.ts';
import type { OpenUrl } from '../base/open-url.ts';
import { escapeForTerminal } from '../base/text.ts';
import type { ElicitationAnswer } from '../mcp/handlers/elicitation.ts';
import type { UrlElicitation } from '../mcp/handlers/url-required.ts';
import { MAX_QUOTE_CHARACTERS, ourLines, quoteInline, quoteLines } from './quote.ts';
import type { Dialogue } from './talk.ts';

/** Ctrl-C, the end of input and silence are a cancel. Nothing of the address is fetched by us. */
export async function askUrl(
  request: UrlElicitation,
  dialogue: Dialogue,
  openUrl: OpenUrl,
): Promise<ElicitationAnswer> {
  const { columns } = dialogue;
  const { url } = request;
  dialogue.show([
    '',
    ...ourLines(
      `${dialogue.strong(quoteInline(request.server))} asks you to open an address:`,
      columns,
    ),
    ...quoteLines(request.message, columns, MAX_QUOTE_CHARACTERS),
    // Whole and on lines of its own, so that it can be copied and nothing is hidden.
    escapeForTerminal(url.href),
    ...ourLines(`  host: ${dialogue.strong(escapeForTerminal(url.host))}`, columns),
    ...urlWarnings(url).flatMap((warning) => ourLines(`Warning: ${warning}`, columns)),
    ...ourLines('y open it, m I open it myself, d decline, c cancel', columns, '  '),
  ]);
  for (;;) {
    const typed = await dialogue.read('Open? [y/m/d/c] ');
    if (typed.kind !== 'line') return { action: 'cancel' };
    switch (typed.text.trim().toLowerCase()) {
      case 'y':
      case 'yes':
        if (!(await openUrl(url.href))) {
          dialogue.show(
            ourLines('No browser could be started here: open the address yourself.', columns),
          );
        }
        return { action: 'accept', content: {} };
      case 'm':
        return { action: 'accept', content: {} };
      case 'd':
      case '/decline':
        return { action: 'decline' };
      case 'c':
      case '/cancel':
        return { action: 'cancel' };
    }
  }
}

/** What a person should know before opening it. */
export function urlWarnings(url: URL): readonly string[] {
  const warnings: string[] = [];
  if (url.hostname.split('.').some((label) => label.startsWith('xn--'))) {
    const shown = escapeForTerminal(nodeUrl().domainToUnicode(url.hostname));
    warnings.push(
      `this host name (${shown}) is written with letters that can look like other letters; it may imitate a site you know.`,
    );
  }
  if (url.protocol === 'http:' && hostKind(url.hostname) !== 'loopback') {
    warnings.push('http is not encrypted.');
  }
  return warnings;
}
