/** Draws marks with WebGL2: one point for each row. A distance function in the shader gives the point the same shape as `verticesOf`. */
import { FADED, fadedAlpha, HIDDEN, KNOWN, type MarkFrame, type MarkRenderer, STRIDE } from "./marks.js";

const VERTEX = `#version 300 es
in vec2 place;
in uvec4 style;
in uvec4 before;
uniform vec2 centre, scale, size;
uniform float reach, ratio, fadedAlpha, blend;
uniform vec3 palette[16];
uniform int pass;
out vec3 colour;
out float alpha;
flat out int shape;
flat out int earlier;
flat out int known;
void main() {
  bool isKnown = (style.z & ${KNOWN}u) != 0u;
  bool isHidden = (style.z & ${HIDDEN}u) != 0u || (pass == 0) == isKnown;
  vec2 at = (place - centre) * scale / (size * 0.5);
  gl_Position = isHidden ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(at, 0.0, 1.0);
  gl_PointSize = 2.0 * reach * ratio;
  colour = mix(palette[int(before.x)], palette[int(style.x)], blend);
  shape = int(style.y);
  earlier = int(before.y);
  known = isKnown ? 1 : 0;
  float now = (style.z & ${FADED}u) != 0u ? fadedAlpha : 1.0;
  float then = (before.z & ${FADED}u) != 0u ? fadedAlpha : 1.0;
  alpha = mix(then, now, blend);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 colour;
in float alpha;
flat in int shape;
flat in int earlier;
flat in int known;
uniform float reach, radius, ratio, blend;
uniform bool detailed;
uniform vec3 canvas, ink;
out vec4 result;
float distanceTo(int kind, vec2 p) {
  vec2 q = abs(p);
  if (kind == 1) return (q.x + q.y - 1.22) * 0.7071;
  if (kind == 2) return max(p.y - 0.85, dot(vec2(q.x, p.y + 1.25), vec2(0.868, -0.496)));
  if (kind == 3) return max(q.x, q.y) - 0.9;
  if (kind == 4) return max(-p.y - 0.85, dot(vec2(q.x, p.y - 1.25), vec2(0.868, 0.496)));
  if (kind == 5) return min(max(q.x - 0.42, q.y - 1.2), max(q.x - 1.2, q.y - 0.42));
  if (kind == 6) {
    // A fifth of the star: from the tip at angle 0 to the notch at 36 degrees.
    float turned = abs(mod(atan(p.x, -p.y) + 0.6283185, 1.2566371) - 0.6283185);
    return dot(length(p) * vec2(cos(turned), sin(turned)) - vec2(1.35, 0.0), vec2(0.3777, 0.9259));
  }
  if (kind == 7) return max(q.y - 1.05, dot(vec2(q.x - 1.2, q.y), vec2(0.868, 0.496)));
  return length(p) - 1.0;
}
void main() {
  vec2 p = (gl_PointCoord * 2.0 - 1.0) * reach / radius;
  float edge = distanceTo(detailed ? shape : 0, p);
  if (detailed && blend < 1.0) edge = mix(distanceTo(earlier, p), edge, blend);
  edge *= radius;
  float soft = 0.5 / ratio;
  float rim = detailed || known == 1 ? (known == 1 ? 0.55 : 0.45) : 0.0;
  float body = 1.0 - smoothstep(-soft, soft, edge - rim);
  float inner = 1.0 - smoothstep(-soft, soft, edge + rim);
  vec3 outline = known == 1 ? ink : canvas;
  vec3 shade = rim > 0.0 ? mix(outline, colour, inner) : colour;
  float cover = body * alpha * (known == 1 ? 1.0 : 0.94);
  if (cover < 0.01) discard;
  result = vec4(shade * cover, cover);
}`;

const CONTEXT = { premultipliedAlpha: true, antialias: false, preserveDrawingBuffer: false };

/** Creates a WebGL renderer; resolves when the shaders are compiled. Null if there is no WebGL. */
export async function webglMarks(canvas: HTMLCanvasElement | OffscreenCanvas): Promise<MarkRenderer | null> {
  const gl = canvas.getContext("webgl2", CONTEXT) as WebGL2RenderingContext | null;
  if (!gl) return null;
  const program = await programOf(gl);
  return program ? renderer(gl, program) : null;
}

function renderer(gl: WebGL2RenderingContext, program: WebGLProgram): MarkRenderer {
  const places = gl.createBuffer();
  const styles = gl.createBuffer();
  const earlier = gl.createBuffer();
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, places);
  const place = gl.getAttribLocation(program, "place");
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, styles);
  const style = gl.getAttribLocation(program, "style");
  gl.enableVertexAttribArray(style);
  gl.vertexAttribIPointer(style, STRIDE, gl.UNSIGNED_BYTE, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, earlier);
  const before = gl.getAttribLocation(program, "before");
  gl.enableVertexAttribArray(before);
  gl.vertexAttribIPointer(before, STRIDE, gl.UNSIGNED_BYTE, 0, 0);
  let [placed, styled] = [0, 0];
  let last: Uint8Array | null = null;
  return {
    points: (xy) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, places);
      gl.bufferData(gl.ARRAY_BUFFER, xy, gl.STATIC_DRAW);
      placed = xy.length / 2;
    },
    styles: (bytes) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, styles);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, earlier);
      gl.bufferData(gl.ARRAY_BUFFER, last?.length === bytes.length ? last : bytes, gl.DYNAMIC_DRAW);
      last = bytes;
      styled = bytes.length / STRIDE;
    },
    draw: (frame) => drawMarks(gl, program, array, Math.min(placed, styled), frame),
    dispose: () => {
      gl.deleteBuffer(places);
      gl.deleteBuffer(styles);
      gl.deleteBuffer(earlier);
      gl.deleteVertexArray(array);
      gl.deleteProgram(program);
    },
  };
}

async function programOf(gl: WebGL2RenderingContext): Promise<WebGLProgram | null> {
  const program = gl.createProgram();
  for (const [type, text] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  const parallel = gl.getExtension("KHR_parallel_shader_compile");
  while (parallel && !gl.isContextLost() && !gl.getProgramParameter(program, parallel.COMPLETION_STATUS_KHR))
    await new Promise((wake) => setTimeout(wake, 8));
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

function drawMarks(
  gl: WebGL2RenderingContext,
  program: WebGLProgram,
  array: WebGLVertexArrayObject,
  n: number,
  frame: MarkFrame,
): void {
  const { view, box, ratio, radius, detailed, knownOnly, palette } = frame;
  gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT);
  if (n === 0) return;
  // biome-ignore lint/correctness/useHookAtTopLevel: a method of WebGL, no hook
  gl.useProgram(program);
  gl.bindVertexArray(array);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const at = (name: string) => gl.getUniformLocation(program, name);
  gl.uniform2f(at("centre"), view.x, view.y);
  gl.uniform2f(at("scale"), view.kx, view.ky);
  gl.uniform2f(at("size"), box.width, box.height);
  gl.uniform1f(at("ratio"), ratio);
  gl.uniform1f(at("blend"), frame.blend);
  gl.uniform1f(at("fadedAlpha"), fadedAlpha(palette.isDark));
  gl.uniform1i(at("detailed"), detailed ? 1 : 0);
  gl.uniform3fv(
    at("palette"),
    palette.marks.flatMap((colour) => colour.map((part) => part / 255)),
  );
  gl.uniform3fv(
    at("canvas"),
    palette.canvas.map((part) => part / 255),
  );
  gl.uniform3fv(
    at("ink"),
    palette.ink.map((part) => part / 255),
  );
  for (const pass of knownOnly ? [1] : [0, 1]) {
    const size = pass === 1 ? Math.max(radius, 3.6) + (radius >= 4 ? 0.4 : 0) : radius;
    gl.uniform1i(at("pass"), pass);
    gl.uniform1i(at("detailed"), detailed || pass === 1 ? 1 : 0);
    gl.uniform1f(at("radius"), size);
    gl.uniform1f(at("reach"), size * 1.4 + 1.5);
    gl.drawArrays(gl.POINTS, 0, n);
  }
}
