/** A tool list of realistic size (about 1 KiB a tool) for the bench's fake servers. */
export function makeTools(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? 'echo' : `tool_${index}`,
    description: `Tool number ${index}. ${'Does one thing to the records of a project and tells what changed. '.repeat(5)}`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        ['text', 'owner', 'project', 'limit'].map((name) => [
          name,
          {
            type: name === 'limit' ? 'integer' : 'string',
            description: `The ${name} that the call is about, as given.`,
          },
        ]),
      ),
      required: ['text'],
    },
    // It only tells what it was told; a call of any other waits for the disk.
    ...(index === 0 ? { annotations: { readOnlyHint: true } } : {}),
  }));
}
