import { describeProvider } from './provider.ts';

describeProvider({ provider: 'openai-compatible', format: 'openai' });
describeProvider({ provider: 'openai', format: 'responses' });
describeProvider({ provider: 'anthropic', format: 'anthropic' });
describeProvider({ provider: 'google', format: 'google' });
