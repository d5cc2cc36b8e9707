/** Where a source can be changed by one small step: `{ start, end, replacement, operator, line }` for each. */
import ts from "typescript";

const K = ts.SyntaxKind;

const SWAPPED = new Map([
  [K.LessThanToken, ["<=", "comparison"]],
  [K.LessThanEqualsToken, ["<", "comparison"]],
  [K.GreaterThanToken, [">=", "comparison"]],
  [K.GreaterThanEqualsToken, [">", "comparison"]],
  [K.EqualsEqualsEqualsToken, ["!==", "comparison"]],
  [K.ExclamationEqualsEqualsToken, ["===", "comparison"]],
  [K.PlusToken, ["-", "arithmetic"]],
  [K.MinusToken, ["+", "arithmetic"]],
  [K.AsteriskToken, ["/", "arithmetic"]],
  [K.SlashToken, ["*", "arithmetic"]],
  [K.PlusEqualsToken, ["-=", "arithmetic"]],
  [K.MinusEqualsToken, ["+=", "arithmetic"]],
  [K.AmpersandAmpersandToken, ["||", "logic"]],
  [K.BarBarToken, ["&&", "logic"]],
]);

/** Larger numbers are limits and tolerances: to change one by 1 changes nothing that anybody promised. */
const CONSTANTS = new Map([
  ["0", "1"],
  ["1", "0"],
  ["2", "3"],
  ["0.5", "1"],
]);

export function sitesOf(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const sites = [];
  const add = (node, replacement, operator, end = node.getEnd()) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    sites.push({ start, end, replacement, operator, line, before: text.slice(start, end) });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    // Progress, descriptions and sentences: what they say is held by other tests, or by none on purpose.
    if (ts.isYieldExpression(node) && !node.asteriskToken) return;
    if (isCallOf(node, "meta") || isCallOf(node, "defineMethod") || isCallOf(node, "badInput")) return;
    const swap = ts.isBinaryExpression(node) ? SWAPPED.get(node.operatorToken.kind) : undefined;
    if (swap && !isText(node.left) && !isText(node.right)) add(node.operatorToken, swap[0], swap[1]);
    if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken)
      add(node, node.operand.getText(source), "negation");
    if (ts.isIfStatement(node) || ts.isWhileStatement(node))
      add(node.expression, `!(${node.expression.getText(source)})`, "negation");
    if (ts.isConditionalExpression(node)) add(node.condition, `!(${node.condition.getText(source)})`, "negation");
    if (ts.isNumericLiteral(node) && CONSTANTS.has(node.text)) add(node, CONSTANTS.get(node.text), "constant");
    if (node.kind === K.TrueKeyword) add(node, "false", "constant");
    if (node.kind === K.FalseKeyword) add(node, "true", "constant");
    if (isRemovable(node)) add(node, ";", "removed statement");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return sites;
}

function isCallOf(node, name) {
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression;
  return (
    (ts.isIdentifier(called) && called.text === name) || (ts.isPropertyAccessExpression(called) && called.name.text === name)
  );
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Calls and assignments that stand for themselves, throws, and early ends. */
function isRemovable(node) {
  if (ts.isThrowStatement(node)) return true;
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) return !ts.isCaseOrDefaultClause(node.parent);
  return ts.isExpressionStatement(node) && !ts.isYieldExpression(node.expression);
}

export function mutated(text, { start, end, replacement }) {
  return text.slice(0, start) + replacement + text.slice(end);
}
