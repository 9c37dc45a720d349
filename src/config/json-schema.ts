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
  if (context.valibotSchema.type !== 'union') return undefined;
  const { anyOf: _anyOf, ...rest } = context.jsonSchema;
  return { ...rest, type: ['string', 'number', 'boolean'] };
};
