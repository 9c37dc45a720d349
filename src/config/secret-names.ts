/** Which names stand for credentials, and which texts look like one. Decides by spelling alone. */

/** True for the name of a header, variable, query parameter or key whose value is a credential. */
export function isSecretName(name: string): boolean {
  if (/^[A-Z0-9_]+_KEY$/.test(name)) return true;
  const plain = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[_\s.]+/g, '-');
  if (
    /(^|-)(max|min|num|count|limit|context)-|tokens$|-(env|count|limit|url|uri|file|path|type|ttl|timeout)$/.test(
      plain,
    )
  ) {
    return false;
  }
  return (
    /^(auth|key|pat|pass|pwd|sig|signature|cookie|set-cookie|bearer|jwt|x-.*-key|api-?key)$/.test(
      plain,
    ) ||
    /-(pat|pass|passphrase|pwd|jwt)$/.test(plain) ||
    /authorization|api-?key|token|secret|passw|credential|cookie|(private|access|auth|signing|encryption|account)-?key/.test(
      plain,
    )
  );
}

/** True for text of a well-known credential shape, whatever its key is called. */
export function looksLikeSecret(text: string): boolean {
  return new RegExp(TOKEN_SHAPE).test(text);
}

/** True when nothing but `${VAR}` references and an authentication scheme is written. */
export function isOnlyReferences(text: string): boolean {
  return /^(?:[A-Za-z]+ )?(?:\$\{[A-Za-z_][A-Za-z0-9_]*(?::-)?\})+$/.test(text.trim());
}

/** True for text that can be the name of a variable and is no pasted token. */
export function isPlausibleVariable(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !looksLikeSecret(text);
}

/** Prefixes that issuers publish for their tokens. */
export const TOKEN_SHAPE =
  '(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}|gh[oprsu]_[A-Za-z0-9]{12,}|github_pat_[A-Za-z0-9_]{12,}|glpat-[\\w-]{12,}|xox[abeoprs]-[\\w-]{8,}|AKIA[A-Z0-9]{12,}|AIza[\\w-]{20,}|eyJ[\\w-]{8,}\\.[\\w-]{8,}|npm_[A-Za-z0-9]{20,}|hf_[A-Za-z0-9]{16,}|ctx7sk-[\\w-]{8,}|lin_api_\\w{12,}';
