/** The JSON Schema of the configuration file, for editors. Loaded only by the command that prints it. */
import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import { rootSchema } from './schema/root.ts';

/**
 * JSON Schema (draft-07) of a configuration file. Where text is asked for, an editor also accepts a
 * bare number or boolean, as usher does. Rules between keys are not in it; `usher config check` has them.
 */
export function configJsonSchema(): object {
  const schema = toJsonSchema(rootSchema, {
    // Checks and transforms have no JSON Schema; `inJsonSchema` in atoms.ts says what matters of them.
    errorMode: 'ignore',
    overrideSchema,
  });
  return { title: 'usher configuration', ...schema };
}

const overrideSchema: NonNullable<ConversionConfig['overrideSchema']> = (context) => {
  if (!isPlainText(context.valibotSchema)) return undefined;
  const { anyOf: _anyOf, ...rest } = context.jsonSchema;
  return { ...rest, type: ['string', 'number', 'boolean'] };
};

/** The union that every text of ours begins with: text, or a scalar that YAML reads as something else. */
function isPlainText(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || !('options' in schema)) return false;
  const options: readonly unknown[] = Array.isArray(schema.options) ? schema.options : [];
  const types = options.map((option) =>
    typeof option === 'object' && option !== null && 'type' in option ? option.type : undefined,
  );
  return types.includes('instance') && !types.includes('null');
}
