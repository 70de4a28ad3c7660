/* A vertex of a coloured surface. */

void main()
{
  place = pos;
  own_colour = color;
  gl_Position = ModelViewProjectionMatrix * vec4(pos, 1.0);
}
