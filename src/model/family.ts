/** The wire formats we speak, one for each provider with a language model. */

/** `chat`: OpenAI's chat completions, as compatible servers have it; `responses`: OpenAI itself. */
export type ModelFamily = 'chat' | 'responses' | 'anthropic' | 'google';
